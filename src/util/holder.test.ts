import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import {
  fateOf,
  hasLeft,
  holderWords,
  isSameProcess,
  processHolder,
  processNamed,
  runningGroup,
} from "./holder.js";
import { isGroupRunning } from "./process-group.js";

const me = processHolder();
/** The same process, as somebody else would see it who changed this. */
const changed = (parts: object, name = me): string => JSON.stringify({ ...JSON.parse(name), ...parts });
const { start, place } = JSON.parse(me) as { start: string; place: string };
const NO_PID = 999_999_999;

describe.runIf(process.platform === "linux")("a process", () => {
  it("is alive if it is here, and has ended if it was here and is no more", async () => {
    expect(fateOf(me)).toBe("alive");
    expect(fateOf(changed({ start: "1" }))).toBe("ended"); // Its pid is another's by now.
    const child = spawn("true");
    const { pid = 0 } = child;
    await once(child, "exit");
    expect(fateOf(changed({ pid }))).toBe("ended");
    expect(fateOf("")).toBe("ended");
  });

  it.each([
    ["another pid namespace", (place: string) => place.replace(/\d+$/, "1")],
    ["another machine", (place: string) => `0${place}`],
    ["another boot", (place: string) => place.replace(/^[^/]+/, "6d1ae1c2-0000-4000-8000-000000000000")],
  ])("of %s cannot be known, whatever host, pid and start say", (_, change) => {
    expect(fateOf(changed({ place: change(place) }))).toBe("unknown");
    expect(fateOf(changed({ place: change(place), pid: NO_PID }))).toBe("unknown");
  });

  it("that an older version named is known as well, in the first ones only if it is there", () => {
    const old = (pid: number, start: string) => `${hostname()} ${pid} ${start} x`;
    expect(fateOf(`${old(process.pid, start)} ${place}`)).toBe("alive");
    expect(fateOf(`${old(NO_PID, "1")} ${place}`)).toBe("ended");
    expect(fateOf(old(process.pid, start))).toBe("alive");
    expect(fateOf(old(NO_PID, "1"))).toBe("unknown");
  });

  // A container is one: where the machine lets us make a namespace, it is tried.
  const isAllowed = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;
  it.runIf(isAllowed)("in a namespace of its own, with this host's name, is not taken for dead", () => {
    const module = new URL("../../dist/util/holder.js", import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then(({ fateOf }) => console.log(fateOf(process.argv[1])))`;
    const given = ["--pid", "--fork", "--mount-proc", process.execPath, "-e", script, "--", me];
    expect(spawnSync("unshare", given, { encoding: "utf8" }).stdout).toBe("unknown\n");
  });
});

it.runIf(process.platform === "linux")(
  "leads a group that is known while something of it runs, and not for another with its number",
  async () => {
    const leader = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    const ended = once(leader, "exit");
    const name = processNamed(leader.pid ?? 0);
    expect(runningGroup(name)).toBe(leader.pid);
    expect(runningGroup(changed({ start: "1" }, name))).toBeNull();
    leader.kill("SIGKILL");
    await ended;
    expect(runningGroup(name)).toBeNull();
  },
);

it.runIf(process.platform === "linux")(
  "names a process that is gone already so that what it left in its group is found, and no other",
  async () => {
    const leader = spawn("/bin/sh", ["-c", "sleep 600 >&- 2>&- <&- & exit"], {
      detached: true,
      stdio: "ignore",
    });
    await once(leader, "exit");
    const name = processNamed(leader.pid ?? 0);
    expect(runningGroup(name)).toBe(leader.pid);
    process.kill(-(leader.pid ?? 0), "SIGKILL");
    await expect.poll(() => isGroupRunning(leader.pid ?? 0)).toBe(false);
    expect(fateOf(name)).toBe("ended");
    expect(runningGroup(changed({ pid: process.pid }, name))).toBeNull();
  },
);

it("has many names, which are of one process, and one for people", () => {
  expect(isSameProcess(me, processHolder())).toBe(true);
  expect(isSameProcess(me, changed({ pid: 1 }))).toBe(false);
  expect(holderWords(me)).toBe(`process ${process.pid} on ${hostname()}`);
});

describe("what another process left", () => {
  it("goes with an account that has one process, and stays with a live one where it is shared", () => {
    const other = processHolder(); // Alive, as one is that stands still.
    expect(hasLeft(other, me, true)).toBe(true);
    expect(hasLeft(me, me, true)).toBe(false);
    expect(hasLeft(other, me, false)).toBe(false);
    expect(hasLeft("", me, false)).toBe(true);
  });
});
