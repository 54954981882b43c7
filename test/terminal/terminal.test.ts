/** The chat as a person meets it: a real PTY, real keys, and a look at the screen. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { HOSTILE } from "./hostile.js";
import { killAll, PtyChat, pty } from "./pty-chat.js";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const UP = "\u001b[A";
const DOWN = "\u001b[B";
const LEFT = "\u001b[D";
const ESC = "\u001b";
const STATUS = "a chat · echo";
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

/** How often a text can be seen. */
const count = (chat: PtyChat, text: string) => chat.vt.text().split(text).length - 1;

afterEach(killAll);

describe.skipIf(!pty)(
  `the terminal chat${pty ? "" : " (NOT TESTED: the prebuilt PTY does not load here)"}`,
  () => {
    it("answers, and keeps one prompt and one status", async () => {
      const chat = await PtyChat.start();
      await chat.see("hello\r", 'You said "hello"');
      await chat.see("again\r", 'You said "again"');
      await chat.until(() => count(chat, STATUS) === 1 && count(chat, "working") === 0);
      expect(chat.vt.text()).toMatch(
        /^› hello\n\nYou said "hello"\n\n› again\n\nYou said "again"\n\n›\na chat · echo · \d+ tokens$/,
      );
      expect(chat.vt.foreign).toEqual([]);
    });

    it("edits the line", async () => {
      const chat = await PtyChat.start();
      chat.type(`wörld 👩‍👩‍👧!${LEFT}${LEFT}\u007f\u0001hello \u0005`);
      await chat.see("?", "› hello wörld👩‍👩‍👧!?");
      await chat.see("\u001b\u007f\r", "You said");
      expect(chat.vt.text()).toContain('You said "hello"');
    });

    it("answers a question by one key, but not by what was typed before it, nor within a line", async () => {
      const chat = await PtyChat.start();
      chat.type("ask\ry"); // The key comes before the question.
      await chat.until(() =>
        /^rm it\nwaiting for you: y \/ n, once .*\n› y\nwaiting for you · /m.test(chat.vt.text()),
      );
      await chat.see("n", "› yn");
      await chat.see("\u007f\u007f", "waiting for you: y / n\n›");
      await chat.see("\u0012y", "waiting for you: y / n, once your line is empty"); // A search is no empty line.
      await chat.see("\u001b", "waiting for you: y / n\n›");
      await chat.see("y\u007fx", "› x"); // Backspace takes it back.
      await chat.see("\u007f", "waiting for you: y / n\n›");
      expect(count(chat, "You pressed")).toBe(0);
      await chat.see("N", "› no\n\nYou pressed /deny it");
      await chat.until(() => count(chat, "waiting for you") === 0);
      await chat.see("ask\r", "waiting for you: y / n");
      await chat.see("y\r", "› yes\n\nYou pressed /approve it");
    });

    it("takes a line that begins like an answer for a line", async () => {
      const chat = await PtyChat.start();
      await chat.see("ask\r", "waiting for you: y / n");
      await chat.see("no, are you sure?", "› no, are you sure?\n");
      await chat.see("\r", 'You said "no, are you sure?"');
      await chat.see("yes 2\r", 'You said "yes 2"'); // There is none, as whoever takes it on will say.
      expect(count(chat, "You pressed")).toBe(0);
      await chat.see("Yes 1\r", "› Yes 1\n\nYou pressed /approve it");
    });

    it("puts the cursor where the next character goes", async () => {
      const chat = await PtyChat.start({ columns: 20 });
      await chat.see("日本語 and some more words", "ore words");
      await chat.until(() => chat.vt.cursor().line === "  ore words");
      expect(chat.vt.cursor().column).toBe("  ore words".length);
      chat.type("\u0001");
      await chat.until(() => chat.vt.cursor().line.startsWith("› 日本語"));
      expect(chat.vt.cursor().column).toBe(2);
    });

    it("brings back what was written before, in this run and in the next", async () => {
      const folder = mkdtempSync(join(tmpdir(), "baton-terminal-"));
      try {
        const file = join(folder, "history");
        const shell = `exec $CHAT ${file}`;
        const first = await PtyChat.start({ shell });
        await first.see("one\r", 'You said "one"');
        await first.see(`${paste("two\nlines")}\r`, 'You said "two\\nlines"');
        await first.see(`draft${UP}`, "› two\n  lines\na chat");
        await first.see(`${UP}${UP}`, "› one\na chat");
        await first.see(`${DOWN}${DOWN}${DOWN}`, "› draft\na chat");
        first.type(`\u0015${CTRL_D}`);
        expect(await first.exited).toBe(0);
        expect(readFileSync(file, "utf8")).toBe('"one"\n"two\\nlines"\n');
        const second = await PtyChat.start({ shell });
        await second.see(`${UP}${UP}${UP}`, "› one\na chat");
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it("takes a paste of several lines as one text", async () => {
      const chat = await PtyChat.start();
      await chat.see(paste("one\r\ntwo\r\r\tthree \u001b]0;owned\u0007\u0003four"), "three");
      expect(chat.vt.text()).toContain("› one\n  two\n\n    three four\na chat");
      expect(chat.vt.text()).not.toContain("You said");
      await chat.see("\r", 'You said "one\\ntwo\\n\\n\\tthree four"');
      expect(chat.vt.foreign).toEqual([]);
    });

    it("takes a long paste and shows a part of it", async () => {
      const chat = await PtyChat.start();
      const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
      await chat.see(paste(lines.join("\r")), "line 1999\na chat");
      expect(chat.vt.text().split("\n").length).toBeLessThan(20);
    });

    it("breaks lines with a backslash, Ctrl-J and Alt-Enter", async () => {
      const chat = await PtyChat.start();
      await chat.see("a\\\rb\nc\u001b\rd", "› a\n  b\n  c\n  d\n");
      await chat.see("\r", 'You said "a\\nb\\nc\\nd"');
    });

    it("shows and completes commands", async () => {
      const chat = await PtyChat.start();
      await chat.see("/re", "  /reset   Forget and begin again\n  /resume  Go back");
      expect(chat.vt.text()).not.toContain("/status");
      await chat.see("\t", "› /res\n");
      await chat.see("u\t", "› /resume\n  Garden 1 ");
      await chat.see("x\r", "command /resume x");
      expect(chat.vt.text()).not.toContain("Forget and begin again");
    });

    it.each([
      [40, 20],
      [80, 24],
      [200, 50],
    ])("has a menu that is walked with the arrows, at %ix%i", async (columns, rows) => {
      const chat = await PtyChat.start({ columns, rows });
      await chat.see(`/resume ${UP}`, "> Garden 12");
      expect(chat.vt.text().split("\n").length).toBeLessThanOrEqual(9);
      await chat.see(`${UP}${UP}${UP}`, "> Garden 9 ");
      chat.type(ESC);
      await chat.until(() => !chat.vt.text().includes("Garden"));
      await chat.see("garden 1", "  Garden 1   1 messages");
      await chat.see(`${DOWN}${DOWN}\r`, "command /resume Garden 10");
      await chat.see(`/sta${DOWN}\r`, "command /status");
      expect(chat.vt.foreign).toEqual([]);
    });

    it.each(["/exit", "exit", "QUIT", ":q"])("leaves with %s", async (word) => {
      const chat = await PtyChat.start();
      chat.type(`${word}\r`);
      expect(await chat.exited).toBe(0);
    });

    it("leaves with /quit, which it completes", async () => {
      const chat = await PtyChat.start();
      await chat.see("/q", "  /quit  leave; the conversation stays as it is");
      chat.type("\t\r");
      expect(await chat.exited).toBe(0);
    });

    it.each([
      [40, 20],
      [200, 50],
    ])("searches what was written before, at %ix%i", async (columns, rows) => {
      const chat = await PtyChat.start({ columns, rows });
      for (const said of ["plant roses", "call Ann", "plant tulips"])
        await chat.see(`${said}\r`, `You said "${said}"`);
      await chat.see("draft\u0012pla", "› plant tulips\nsearch: pla · Ctrl-R older");
      await chat.see("\u0012", "› plant roses\nsearch: pla");
      await chat.see(ESC, "› draft\na chat");
      chat.type("\u0012ann\r");
      await chat.until(() => count(chat, 'You said "call Ann"') === 2);
      expect(chat.vt.foreign).toEqual([]);
    });

    it("gives the terminal to the editor, and takes what was written there", async () => {
      const folder = mkdtempSync(join(tmpdir(), "baton-terminal-"));
      try {
        const editor = join(folder, "editor");
        // It shows the text and the mode of its file, and reads a line as a terminal gives it.
        writeFileSync(
          editor,
          'cat "$1"; stat -c " mode %a" "$1"; echo "$1" > "$0.path"; read line; echo "$line" >> "$1"; exit $line',
        );
        const chat = await PtyChat.start({ shell: `EDITOR='sh ${editor}' exec $CHAT` });
        await chat.see("one\ntwo\u0007", "one\ntwo mode 600");
        expect(chat.vt.marksPaste).toBe(false);
        await chat.see("0\r", "› one\n  two0\na chat");
        expect(chat.vt.marksPaste).toBe(true);
        expect(existsSync(readFileSync(`${editor}.path`, "utf8").trim())).toBe(false);
        await chat.see("\u0018\u0005", "two0 mode 600");
        await chat.see("3\r", "The editor failed with exit code 3, so nothing was changed.");
        await chat.until(() => chat.vt.text().includes("› one\n  two0\na chat"));
        await chat.see("\u001f\r", 'You said "one\\ntwo"');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it("completes files, and sends those that a message names", async () => {
      const folder = mkdtempSync(join(tmpdir(), "baton-terminal-"));
      try {
        writeFileSync(join(folder, "notes.txt"), "buy milk");
        mkdirSync(join(folder, "src"));
        writeFileSync(join(folder, "src/main.ts"), "main()");
        const chat = await PtyChat.start({
          columns: 40,
          shell: `exec $CHAT ${join(folder, "history")} ${folder}`,
        });
        await chat.see("see @", "  notes.txt\n  src/       folder");
        await chat.see("ma", "  src/main.ts");
        await chat.see("\t", "› see @src/main.ts\na chat");
        await chat.see(`and @${DOWN}\r`, "› see @src/main.ts and @notes.txt\na chat");
        await chat.see("or me@notes.txt @ann\r", "Attached: src/main.ts, notes.txt");
        await chat.until(() => chat.vt.text().includes("file: main()\n\nfile: buy milk"));
        await chat.until(() => chat.vt.text().includes("You said"));
        await chat.see("/new @notes.txt\r", "command /new @notes.txt");
        expect(count(chat, "Attached")).toBe(1);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it("says that there is no editor, and keeps the draft", async () => {
      const chat = await PtyChat.start({ columns: 200 });
      await chat.see(
        "text\u0007",
        'There is no editor "no-such-editor" here, so nothing was changed. Set VISUAL or EDITOR',
      );
      await chat.until(() => chat.vt.text().includes("› text\na chat · echo"));
    });

    it("stops the answer at Esc, and keeps the draft", async () => {
      const chat = await PtyChat.start();
      await chat.see("stall\r", "word word");
      await chat.see("meanwhile", "› meanwhile\n");
      await chat.see(ESC, "■ stopped\n\n› meanwhile\na chat");
      await chat.see("\u001f", "›\na chat");
    });

    it("keeps what is typed while an answer streams", async () => {
      const chat = await PtyChat.start();
      await chat.see("slow\r", "word word word");
      await chat.see("meanwhile", "› meanwhile\nworking, Ctrl-C stops · a chat");
      await chat.until(() => count(chat, "word") > 40);
      expect(count(chat, "› meanwhile")).toBe(1);
      await chat.see(CTRL_C, "■ stopped\n\n› meanwhile\na chat");
      await chat.see("\r", 'You said "meanwhile"');
      expect(count(chat, "› meanwhile")).toBe(1);
      expect(chat.vt.text()).toMatch(/^› slow\n\n(?:(?:word ?)+\n)+\n■ stopped\n\n› meanwhile\n/);
    });

    it("streams an answer that is longer than the screen", async () => {
      const chat = await PtyChat.start({ columns: 60, rows: 8 });
      chat.type("slow\r");
      await chat.until(() => /[89]\d tokens/.test(chat.vt.text()));
      expect(count(chat, "word")).toBeLessThanOrEqual(60); // Five rows of twelve.
      await chat.see(CTRL_C, "■ stopped");
      expect(chat.vt.text()).toMatch(/^› slow\n\n(?:(?:word ?)+\n)+\n■ stopped\n\n›\na chat/);
    });

    it("shows Markdown and tools", async () => {
      const chat = await PtyChat.start({ columns: 70, rows: 50 });
      await chat.see("demo\r", "The end.\n\n›");
      expect(chat.vt.text()).toContain("• one\n  • nested bold\n    1. first\n    2. second\n☑ done\n");
      expect(chat.vt.text()).toContain(
        "name    amount  note\n──────  ──────  ─────\napples      12  fresh\n",
      );
      expect(chat.vt.text()).toContain("  ts\n  function greet(name: string): string {\n");
      await chat.see("tool\r", "Two files.");
      expect(chat.vt.text()).toContain(
        "I should look at the files.\nThen answer.\n\n→ terminal ls -la\n  total 8\n  file one\n  file two\n\nTwo files.",
      );
      await chat.see("fail\r", "✗ failed");
    });

    it("shows where a file is, and the picture by kitty's protocol, and draws the foot below", async () => {
      const chat = await PtyChat.start();
      await chat.see("picture\r", "There it is.");
      await chat.until(() => count(chat, STATUS) === 1 && count(chat, "working") === 0);
      expect(chat.vt.text()).toMatch(
        /^› picture\n\nLook:\n+File: \/work\/chart\.png\n\nThere it is\.\n\n›\na chat · echo · \d+ tokens$/,
      );
      const shown = readFileSync(new URL("./echo-chat.ts", import.meta.url)).toString("base64");
      expect([chat.vt.pictures, chat.vt.foreign]).toEqual([[shown], []]);
    });

    it("says what was not accepted", async () => {
      const chat = await PtyChat.start();
      await chat.see("throw\r", "Not accepted: The disk is full.");
      await chat.see(UP, "› throw\na chat");
      await chat.see("\u0015refuse\r", "Refused");
      await chat.until(() => count(chat, "working") === 0);
    });

    it("stops the turn with one Ctrl-C and leaves with the second", async () => {
      const chat = await PtyChat.start();
      await chat.see("slow\r", "word");
      await chat.see(CTRL_C, "■ stopped");
      chat.type(CTRL_C);
      // On a slow machine it comes too late, and asks for another one.
      await chat.until(() => /^bye$|Ctrl-C again to leave/m.test(chat.vt.text()));
      if (!chat.vt.text().includes("bye")) chat.type(CTRL_C);
      expect(await chat.exited).toBe(0);
    });

    it("empties the line, asks, and leaves", async () => {
      const chat = await PtyChat.start();
      await chat.see("text", "› text");
      chat.type(CTRL_C);
      await chat.until(() => !chat.vt.text().includes("text"));
      await chat.see(CTRL_C, "Ctrl-C again to leave");
      await chat.see("x", "› x\na chat");
      chat.type(`${CTRL_C}${CTRL_C}${CTRL_C}`);
      expect(await chat.exited).toBe(0);
      expect(chat.vt.text()).toBe("bye");
    });

    it("deletes forward with Ctrl-D, and leaves with it on an empty line", async () => {
      const chat = await PtyChat.start();
      await chat.see(`ab${LEFT}${CTRL_D}`, "› a\n");
      chat.type(`\u007f${CTRL_D}`);
      expect(await chat.exited).toBe(0);
    });

    it("redraws a cleared screen", async () => {
      const chat = await PtyChat.start();
      await chat.see("hello\r", "You said");
      await chat.see("text", "› text");
      chat.type("\u000c");
      await chat.until(() => chat.vt.text().trim() === `› text\n${STATUS} · 4 tokens`);
    });

    it("follows the size of the terminal", async () => {
      const chat = await PtyChat.start({ columns: 60, rows: 20 });
      chat.type("stall\r");
      await chat.until(() => count(chat, "word") === 60);
      await chat.see("typed text that is rather long, over fifty columns", "columns\n");
      for (const [columns, rows] of [
        [30, 20],
        [100, 20],
        [33, 30],
        [61, 25],
      ] as const) {
        const before = chat.raw.length;
        chat.resize(columns, rows);
        const isWhole = () =>
          chat.vt.cursor().line.endsWith("columns") &&
          ["word", "typed text", "working"].map((text) => count(chat, text)).join() === "60,1,1";
        await chat.until(() => chat.raw.length > before && isWhole());
      }
      await chat.see(CTRL_C, "■ stopped");
      expect(count(chat, "typed text")).toBe(1);
      expect(count(chat, STATUS)).toBe(1);
      expect(chat.vt.foreign).toEqual([]);
    });

    it("leaves the terminal as it was", async () => {
      for (const leave of [CTRL_D, `slow\r${CTRL_C}${CTRL_C}`]) {
        // It stays until its last words were read: the PTY of the test drops what is unread soon after the end.
        const shell = "stty -g; $CHAT; stty -g; echo left; read -r _";
        const chat = await PtyChat.start({ columns: 200, shell });
        expect(chat.vt.marksPaste).toBe(true);
        await chat.see(leave, "left");
        chat.type("\r");
        expect(await chat.exited).toBe(0);
        const modes = chat.vt.text().match(/^[0-9a-f:]{20,}$/gm) ?? [];
        expect(modes).toHaveLength(2);
        expect(modes[0]).toBe(modes[1]);
        expect(chat.vt.marksPaste).toBe(false);
        expect(chat.vt.text()).not.toContain(STATUS);
        expect(chat.vt.foreign).toEqual([]);
      }
    });

    it("leaves it so when it is told to die", async () => {
      for (const signal of ["TERM", "HUP", "INT"]) {
        const chat = await PtyChat.start({
          columns: 200,
          shell: "trap : INT; stty -g; $CHAT; stty -g; echo left; read -r _",
        });
        expect(chat.vt.marksPaste).toBe(true);
        chat.type(`kill ${signal}\r`);
        await chat.until(() => chat.vt.text().includes("left"));
        const modes = chat.vt.text().match(/^[0-9a-f:]{20,}$/gm) ?? [];
        expect(modes).toHaveLength(2);
        expect(modes[0]).toBe(modes[1]);
        expect(chat.vt.marksPaste).toBe(false);
        expect(chat.vt.text()).not.toContain(STATUS);
      }
    });

    it("lets no escape sequence through, wherever it comes from", async () => {
      expect(HOSTILE.length).toBeGreaterThanOrEqual(300);
      const chat = await PtyChat.start({ columns: 80, rows: 24 });
      await chat.see("hostile\r", "✗ failed");
      chat.type(CTRL_D);
      expect(await chat.exited).toBe(0);
      expect(chat.vt.foreign).toEqual([]);
      expect(chat.raw.match(/\u001b\[\?2004h/g)).toHaveLength(1);
      expect(chat.raw.match(/\u001b\[\?/g)).toHaveLength(2);
      expect(chat.raw).not.toMatch(/[\u0080-\u009f\u0007\u001b][\]PX^_]|[\u0080-\u009f]/);
      expect(chat.raw).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      // What was around the sequences can be read.
      for (const [index] of HOSTILE.entries()) expect(chat.vt.text()).toContain(`a${index}`);
    });
  },
);
