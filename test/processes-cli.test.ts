/** `baton processes`, run as a script would run it, over real processes of a real host. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";
import { type ProcessHome, processHome } from "./support/process-home.js";
import { killAll, PtyChat, pty } from "./terminal/pty-chat.js";

let world: ProcessHome;
beforeEach(async () => {
  world = await processHome();
});
afterEach(async () => {
  killAll();
  await world.close();
});

const run = (...words: string[]) => baton(world.home, ["processes", ...words]);
const pipe = (shell: string) => baton(world.home, [], { shell });
const end = (id: Awaited<ReturnType<ProcessHome["start"]>>) =>
  world.processes.wait(id, { timeoutMs: 60_000, signal: new AbortController().signal });

describe("baton processes", () => {
  test("list shows what runs and how the others ended, newest first", async () => {
    expect(await run("list")).toEqual({
      code: 0,
      stdout: "There are no background processes.\n",
      stderr: "",
    });
    const ended = await world.start("exit 3");
    await end(ended);
    const running = await world.start("sleep 600");
    const shown = await run("list");
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["ID", "STATE", "COMMAND", "STARTED", "IN", "SESSION"],
      [running, "running", "sleep 600", "just now", "local", world.sessionId],
      [ended, "exited 3", "exit 3", "just now", "local", world.sessionId],
      [""],
    ]);
    const { processes } = JSON.parse((await run("list", "--json")).stdout);
    expect(processes).toMatchObject([
      { id: running, state: "running", end: null, pty: null, takesInput: true },
      { id: ended, state: "ended", end: { kind: "exited", code: 3, by: "itself" }, takesInput: false },
    ]);
  });

  test("list says if a process left programs running, until kill ends them", async () => {
    const id = await world.start("sleep 600 & exit 0");
    await end(id);
    expect((await run("list")).stdout).toContain(`${id}  exited 0, children run  sleep 600`);
    expect((await run("kill", id)).stdout).toBe(`Ended the programs that ${id} had left running.\n`);
    expect((await run("list")).stdout).toContain(`${id}  exited 0  sleep 600`);
  });

  test("logs prints the last lines as plain text", async () => {
    const id = await world.start("seq 100; printf '\\033[31mred\\033[0m\\r\\n\\033]0;title\\007last'");
    await end(id);
    expect(await run("logs", id)).toMatchObject({
      code: 0,
      stdout: `${Array.from({ length: 48 }, (_, index) => `${index + 53}\n`).join("")}red\nlast`,
      stderr: "",
    });
    expect((await run("logs", id, "-n", "3")).stdout).toBe("100\nred\nlast");
    const lines = (await run("logs", id, "-n", "2", "--json")).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { output: "red\nlast" },
      { process: { id, end: { code: 0 } } },
    ]);
  });

  test.skipIf(!pty)("logs shows the screen of a program that uses all of it", async () => {
    const drawn = "\\033[?1049h\\033[2J\\033[3;5Hin the middle\\033[1;1Hat the top";
    const id = await world.start(`printf '${drawn}'; sleep 600`, { pty: { cols: 40, rows: 10 } });
    while (!(await world.processes.read(id, 0, 1_000)).text.includes("top"));
    expect(await run("logs", id)).toEqual({
      code: 0,
      stdout: "at the top\n\n    in the middle\n",
      stderr: `(${id} uses the whole screen. This is what it shows. To use it, run \`baton processes attach ${id}\`.)\n`,
    });
    expect(await run("logs", "-n", "0", id)).toEqual({ code: 0, stdout: "", stderr: "" });
    await run("kill", id);
    expect(await run("logs", id)).toEqual({
      code: 0,
      stdout: "at the top\n\n    in the middle\n",
      stderr: `(${id} used the whole screen. This is what it showed last.)\n`,
    });
  });

  test("logs says if it can't show everything, and begins with a whole line", async () => {
    const id = await world.start("seq 1 4000000");
    await end(id);
    const { stdout, stderr } = await run("logs", "-n", "1000000", id);
    const [first] = stdout.split("\n", 1);
    expect(first).toMatch(/^\d{7}$/); // All numbers that can be kept are as long: this is a whole one.
    expect(stdout).toMatch(/\n3999999\n4000000\n$/);
    expect(stderr).toMatch(/^\(The first [\d,]{9,} bytes of the output are no longer kept\.\)\n$/);
    expect((await run("logs", "-n", "0", id)).stdout).toBe("");
  });

  test("a list in a pipe is whole", async () => {
    await world.start(`: ${"long ".repeat(50)} needle; sleep 600`);
    expect((await run("list")).stdout).toContain("needle");
  });

  test("logs -f prints what comes until the process ends, and says how it ended", async () => {
    const id = await world.start("echo one; read -r line; echo two; read -r line; echo three; exit 5");
    const followed = run("logs", "-f", id);
    await run("write", id, "go");
    await run("write", id, "on");
    expect(await followed).toEqual({
      code: 0,
      stdout: "one\ntwo\nthree\n",
      stderr: `${id} exited with code 5.\n`,
    });
  });

  test.skipIf(!pty)("Ctrl-C ends logs -f, not the process", async () => {
    const id = await world.start("echo ready; sleep 600");
    const main = new URL("../dist/main.js", import.meta.url).pathname;
    const shell = `trap : INT; BATON_HOME='${world.home}' '${process.execPath}' '${main}' processes logs -f ${id}; echo "code $?"`;
    const chat = new PtyChat({ shell });
    await chat.until(() => chat.vt.text().includes("ready"));
    await chat.see("\u0003", "code 0");
    expect((await world.processes.find(id))?.status?.end).toBeNull();
  });

  test("write types a line, the text as it is, or what is piped in", async () => {
    const id = await world.start("while read -r line; do echo \"got '$line'\"; done");
    expect(await run("write", id, "two", "words")).toEqual({ code: 0, stdout: "", stderr: "" });
    await run("write", "--raw", id, "half ");
    await pipe(`echo 'a line' | baton processes write ${id}`);
    await pipe(`printf 'one\\ntwo' | baton processes write ${id}`);
    await world.processes.close(id);
    await end(id);
    expect((await run("logs", id)).stdout).toBe("got 'two words'\ngot 'half a line'\ngot 'one'\ngot 'two'\n");
    expect(await run("write", id, "more")).toMatchObject({
      code: 1,
      stderr: `baton: ${id} has already ended: it exited with code 0.\n`,
    });
    expect(await run("attach", id)).toMatchObject({ code: 1, stdout: "" });
  });

  test("write gives a program all of a long text, as fast as it reads", async () => {
    const id = await world.start("exec wc -c"); // Its characters are pairs: none may be cut.
    await pipe(`yes '😀' | head -c 3000000 | baton processes write ${id}`);
    await world.processes.close(id);
    await end(id);
    expect((await run("logs", id)).stdout).toBe("3000000\n");
  });

  test.skipIf(!pty)("write sends Enter to a terminal", async () => {
    const id = await world.start(`echo ready; stty raw -echo; dd bs=9 count=1 2>/dev/null | od -An -c`, {
      pty: { cols: 80, rows: 24 },
    });
    while (!(await run("logs", id)).stdout.includes("ready"));
    await run("write", id, "ab");
    await end(id);
    expect((await run("logs", id)).stdout).toMatch(/a\s+b\s+\\r/);
  });

  test("kill ends the whole group, and says who did it", async () => {
    const id = await world.start("sleep 600 & sleep 600");
    expect(await run("kill", id.slice(0, 8))).toEqual({
      code: 0,
      stdout: `${id} was ended by a person (signal SIGTERM).\n`,
      stderr: "",
    });
    expect(await run("kill", id)).toMatchObject({
      code: 1,
      stderr: `baton: ${id} has already ended: it was ended by a person (signal SIGTERM).\n`,
    });
    const other = await world.start("sleep 600");
    const killed = await run("kill", other, "--json");
    expect(JSON.parse(killed.stdout)).toMatchObject({ id: other, end: { signal: "SIGTERM", by: "person" } });
  });

  test("an id that means none or several is refused with the known ones", async () => {
    const ids = [await world.start("sleep 600"), await world.start("sleep 600")].reverse();
    for (const words of [["logs"], ["attach"], ["write"], ["kill"]]) {
      expect(await run(...words, "nothing", ...(words[0] === "write" ? ["x"] : []))).toMatchObject({
        code: 1,
        stdout: "",
        stderr: `baton: There is no process "nothing". These are known: ${ids.join(", ")}.\n`,
      });
    }
    expect((await run("kill", "p_")).stderr).toBe(
      `baton: Several ids begin with "p_": ${ids.join(", ")}. Give more of the id.\n`,
    );
    expect(JSON.parse((await run("kill", "p_", "--json")).stderr).error.code).toBe("ambiguous_process");
  });

  test("attach --json prints one object for each piece, and how it ended", async () => {
    const id = await world.start('read -r line; echo "got $line"; exit 2');
    const { stdout } = await pipe(`echo hello | baton processes attach --json ${id}`);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ output: "got hello\n" }, { process: { id, end: { code: 2 } } }]);
  });

  test("looking starts no host", async () => {
    const home = makeHome();
    expect((await baton(home, ["processes", "list"])).stdout).toBe("There are no background processes.\n");
    expect(readdirSync(join(home, "processes"))).toEqual(["name"]);
  });
});

test("after its host was killed, a process is found again by another one, which is started for it", async () => {
  const id = await world.start("echo before; read -r line; echo after; exec sleep 600");
  await world.killHost();
  const { processes } = JSON.parse((await run("list", "--json")).stdout);
  expect(processes).toMatchObject([{ id, state: "running", end: null }]);
  expect((await run("logs", id)).stdout).toBe("before\nafter\n"); // Its input ended with the host.
});

test("the doctor looks at the host, starts none and makes nothing", async () => {
  const look = async (home: string) =>
    JSON.parse((await baton(home, ["doctor", "--json"])).stdout).findings.find(
      ({ check }: { check: string }) => check === "processes",
    );
  const empty = makeHome();
  expect(await look(empty)).toMatchObject({ finding: expect.stringMatching(/^no process host runs;/) });
  expect(readdirSync(empty)).toEqual([]);
  await world.start("sleep 600");
  expect(await look(world.home)).toMatchObject({
    status: pty ? "ok" : "hint",
    finding: expect.stringMatching(/^1 process runs; processes outlive the gateway; programs /),
  });
});
