/** `baton processes attach` as a person meets it: a real terminal, a real program on a PTY of its own, and real keys. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { screenOf } from "../src/process/screen.js";
import { type ProcessHome, processHome } from "./support/process-home.js";
import { killAll, PtyChat, pty } from "./terminal/pty-chat.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const LEAVE = "\u001c";
const hasLess = spawnSync("sh", ["-c", "less --version"]).status === 0;
const hasPython = spawnSync("python3", ["-c", ""]).status === 0;

describe.skipIf(!pty)(`attach${pty ? "" : " (NOT TESTED: the prebuilt PTY does not load here)"}`, () => {
  let world: ProcessHome;

  beforeEach(async () => {
    world = await processHome();
  });
  afterEach(async () => {
    killAll();
    await world.close();
  });

  const onPty = (command: string) => world.start(command, { pty: { cols: 80, rows: 24 } });

  /** A shell that attaches, and then says whether its terminal is as it was. `$ATTACH` is the command. */
  const terminal = (id: string, { columns = 80, rows = 24, shell = "$ATTACH" } = {}) => {
    const command = `BATON_HOME='${world.home}' '${process.execPath}' '${MAIN}' processes attach ${id}`;
    const before = join(world.home, "..", "modes");
    const script = `trap : INT QUIT; stty -a > '${before}'; ${shell.replaceAll("$ATTACH", command)}; code=$?; stty -a | cmp - '${before}' && echo "as before, code $code"; read line; echo "read $line"`;
    return new PtyChat({ columns, rows, shell: script });
  };

  it("shows what was said before, takes keys, and leaves the program alone when the person leaves", async () => {
    const id = await onPty('echo one; while read -r line; do echo "got $line"; done');
    const chat = terminal(id);
    await chat.until(() => chat.vt.text().includes("one"));
    expect(chat.vt.text()).toContain(
      `Attached to ${id}. Press Ctrl-\\ to detach; the program keeps running.`,
    );
    await chat.see("two\r", "got two");
    chat.type(`three${LEAVE}four\r`);
    await chat.until(() => chat.vt.text().includes("as before, code 0"));
    expect(chat.vt.text()).toContain(`Detached from ${id}. It is still running.`);
    expect(chat.raw).not.toContain("\u001b[?1049l"); // In tmux that would move the cursor.
    expect((await world.processes.find(id))?.status?.end).toBeNull();
    const again = terminal(id);
    await again.until(() => again.vt.text().includes("three"));
    await again.see("\r", "got three");
    expect(again.vt.text()).not.toContain("four");
  });

  it.skipIf(!hasPython)("is a Python prompt", async () => {
    const chat = terminal(await onPty("exec python3 -q"));
    await chat.until(() => chat.vt.text().includes(">>>"));
    await chat.see("6 * 7\r", "\n42");
    await chat.see("exit(3)\r", "as before, code 0");
    expect(chat.vt.text()).toMatch(/p_[0-9a-f]+ exited with code 3\./);
  });

  it("gives the program the size of this terminal, now and later", async () => {
    const id = await onPty("trap 'stty size' WINCH; echo ready; sleep 1000 & while :; do wait; done");
    const chat = terminal(id, { columns: 100, rows: 30 });
    await chat.until(() => chat.vt.text().includes("30 100"));
    chat.resize(90, 20);
    await chat.until(() => chat.vt.text().includes("20 90"));
  });

  it("makes the program draw its screen again if its beginning is not shown", async () => {
    const draw = "stty size; echo drawn";
    const id = await onPty(
      `trap '${draw}' WINCH; yes 12345678901234567890 | head -c 300000; ${draw}; sleep 1000 & while :; do wait; done`,
    );
    const isDone = async () => (await world.processes.read(id, -20, 20)).text.includes("drawn");
    while (!(await isDone()));
    const chat = terminal(id);
    await chat.until(() => chat.raw.split("drawn").length > 2);
  });

  it("asks the terminal nothing that was asked before, and undoes what the program set", async () => {
    const asked = "\\033[?1049h\\033[6n\\033[?25lfull screen";
    const chat = terminal(await onPty(`printf '${asked}'; read -r line`));
    await chat.until(() => chat.raw.includes("full screen"));
    expect(chat.raw).toContain("\u001b[?1049h\u001b[?25lfull screen");
    chat.type(LEAVE);
    await chat.until(() => chat.raw.includes("as before, code 0"));
    expect(chat.raw).toMatch(/\u001b\[\?1049l.*\u001b\[\?25h/s);
  });

  it.skipIf(!hasLess)("shows a full-screen program, and afterwards the screen from before", async () => {
    const size = { cols: 80, rows: 24 };
    const chat = terminal(await onPty("seq 1000 | less"));
    await chat.until(() => /\n23\r/.test(chat.raw));
    chat.type("G");
    await chat.until(() => chat.raw.includes("END"));
    const numbers = Array.from({ length: 23 }, (_, index) => index + 978);
    expect(await screenOf(chat.raw, size)).toBe(`${numbers.join("\n")}\n(END)`);
    chat.type(LEAVE);
    await chat.until(() => chat.raw.includes("as before, code 0"));
    expect(await screenOf(chat.raw, size)).toMatch(
      /^Attached to (p_\w+)\. Press .*\n\nDetached from \1\. It is still running\.\nas before, code 0$/,
    );
  });

  it("passes a bare line feed on as it is: programs that draw a screen mean one row down", async () => {
    const chat = terminal(await onPty("stty -opost; printf 'ox\\nyz'; read -r line"));
    await chat.until(() => chat.raw.includes("yz"));
    expect(chat.raw).toContain("ox\nyz");
  });

  it.each(["\u001b[92;5u", "\u001b[92;5:1u", "\u001b[27;5;92~"])(
    "is left by the key in its longer form: %j",
    async (key) => {
      const chat = terminal(await onPty("echo ready; read -r line"));
      await chat.until(() => chat.vt.text().includes("ready"));
      await chat.see(key, "as before, code 0");
    },
  );

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("leaves the terminal as it was after %s", async (signal, code) => {
    const id = await onPty("printf '\\033[?1049h'; echo ready; read -r line");
    const file = join(world.home, "..", "pid");
    const shell = `(sh -c 'echo $$ > "$0"; exec env "$@"' '${file}' $ATTACH)`;
    const chat = terminal(id, { shell });
    await chat.until(() => chat.vt.text().includes("ready") && existsSync(file));
    process.kill(Number(readFileSync(file, "utf8")), signal);
    await chat.until(() => chat.raw.includes(`as before, code ${code}`));
    expect(chat.raw).toContain("\u001b[?1049l");
    expect((await world.processes.find(id))?.status?.end).toBeNull();
  });

  it("gives whole lines to a program with pipes; Ctrl-D ends its input", async () => {
    const id = await world.start('echo ready; while read -r line; do echo "got $line"; done; exit 4');
    const chat = terminal(id);
    await chat.until(() => chat.vt.text().includes("ready"));
    expect(chat.vt.text()).toContain("It reads what you type line by line.");
    await chat.see("two\r", "got two");
    await chat.see("\u0004", "as before, code 0");
    expect(chat.vt.text()).toContain(`${id} exited with code 4.`);
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-\\", LEAVE],
  ])("leaves a program with pipes by %s", async (_, key) => {
    const id = await world.start("echo ready; read -r line");
    const chat = terminal(id);
    await chat.until(() => chat.vt.text().includes("ready"));
    await chat.see(key, "as before, code 0");
    expect((await world.processes.find(id))?.status?.end).toBeNull();
  });

  it("prints no escape sequences into a pipe, and does not mind that it is closed", async () => {
    const id = await onPty("printf '\\033[31mred\\033[0m\\nmore\\n'; read -r line; echo end");
    const chat = terminal(id, { shell: '$ATTACH | { read line; echo "<$line>"; }' });
    await chat.until(() => chat.vt.text().includes("<red>"));
    await chat.see("x\r", "as before, code");
  });
});
