/** A store that was there before and is not any more is never begun anew without a word. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { knownStoresFile } from "../src/store/known-stores.js";
import { baton, makeHome, type RunOptions } from "./support/baton.js";

const OFFLINE: RunOptions = { env: { BATON_AGENT_PROVIDER: "offline" } };
const say = (home: string, text: string, options = OFFLINE) =>
  baton(home, ["chat", "--message", text], options);

test.each(["removed", "emptied"])(
  "a store that was %s is missed until a backup or a word brings one",
  async (how) => {
    const home = makeHome();
    const store = join(home, "baton.db");
    const backup = join(home, "..", "backup.db");
    expect(await say(home, "hello garden")).toMatchObject({ code: 0 });
    expect(await baton(home, ["backup", backup])).toMatchObject({ code: 0 });
    const lose = () => {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${store}${end}`, { force: true });
      if (how === "emptied") writeFileSync(store, "", { mode: 0o600 });
    };

    lose();
    const words = [["chat", "--message", "hi"], ["sessions", "list"], ["people", "list"], ["backup"]];
    for (const asked of words) {
      const { code, stdout, stderr } = await baton(home, asked, OFFLINE);
      expect({ asked, code, stdout }).toEqual({ asked, code: 1, stdout: "" });
      expect(stderr).toMatch(
        asked[0] === "backup" ? /./ : /though Baton has used it before.*baton restore.*delete /,
      );
    }
    expect(existsSync(store)).toBe(how === "emptied");

    expect(await baton(home, ["restore", backup, "--yes"])).toMatchObject({ code: 0 });
    expect((await baton(home, ["sessions", "search", "garden"])).stdout).toContain("garden");

    lose();
    rmSync(knownStoresFile(home));
    expect(await say(home, "begin anew")).toMatchObject({ code: 0 });
    expect((await baton(home, ["sessions", "search", "garden"])).stdout).not.toContain("hello garden");
  },
);

test("a disk that is not mounted is missed, too: the list is in the home folder", async () => {
  const home = makeHome();
  const disk = join(home, "..", "disk");
  mkdirSync(disk);
  const options = { env: { ...OFFLINE.env, BATON_STORE: join(disk, "baton.db") } };
  expect(await say(home, "hello", options)).toMatchObject({ code: 0 });
  rmSync(disk, { recursive: true });
  mkdirSync(disk);
  expect(await say(home, "hello", options)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is gone"),
  });
  expect(await say(home, "hello")).toMatchObject({ code: 0 }); // Another store is none of its business.
});

test.runIf(process.platform === "linux")("a home below /proc is an error, not a hang", async () => {
  const env = { ...OFFLINE.env, BATON_HOME: "/proc/baton/home" };
  for (const words of [["chat", "--message", "hi"], ["config", "set", "timezone", "UTC"], ["backup"]]) {
    const { code, stderr } = await baton(makeHome(), words, { env });
    expect({ words, code }).toEqual({ words, code: 1 });
    expect(stderr).toMatch(/^baton: [^\n]+\n$/);
  }
  expect((await baton(makeHome(), ["doctor"], { env })).code).toBe(1);
});
