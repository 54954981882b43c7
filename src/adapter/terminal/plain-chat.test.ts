/** The chat in plain lines: words only, nothing is drawn again. */
import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { afterEach, expect, test, vi } from "vitest";
import { PassingTime } from "../../../test/support/passing-time.js";
import type { LiveReply } from "../live-reply.js";
import { PlainChat } from "./plain-chat.js";

let chat: PlainChat | null = null;
afterEach(() => chat?.close());

/** `isQueued`: messages wait until `answered`. */
async function world({ isBegun = true, isQueued = false } = {}) {
  const input = Object.assign(new PassThrough(), { setRawMode: vi.fn() });
  const output = Object.assign(new PassThrough(), { columns: 60 });
  const said: string[] = [];
  const pressed: string[] = [];
  const waiting: (() => void)[] = [];
  const saved: string[] = [];
  const onLeave = vi.fn();
  const onStop = vi.fn();
  const time = new PassingTime();
  const made = new PlainChat(
    {
      // Terminals, as far as they are used here.
      input: input as unknown as ReadStream,
      output: output as unknown as WriteStream,
      clock: () => time.now,
      later: time.later,
      ...{ onStop, onLeave, heir: () => "the next one continues it" },
      history: {
        load: async () => [],
        add: async (line) => {
          if (line === "unsaved") throw new Error("The disk is full.");
          saved.push(line);
        },
      },
    },
    {
      submit: async (text) => {
        said.push(text);
        if (isQueued && !text.startsWith("/")) await new Promise<void>((resolve) => waiting.push(resolve));
      },
      press: async (command) => pressed.push(command) > 0,
    },
  );
  chat = made;
  await made.open();
  if (isBegun) made.redraw();
  const seen = () => String(output.read() ?? "");
  const type = async (text: string) => {
    input.write(text);
    await new Promise(setImmediate);
  };
  /** What was said is over, all of it. */
  const answered = async () => {
    for (const over of waiting.splice(0)) over();
    await new Promise(setImmediate);
  };
  return { chat: made, input, said, saved, pressed, onLeave, onStop, time, seen, type, answered };
}

function ask(reply: LiveReply, deliveryId: string, number = 1) {
  const answers = { yes: `/yes ${deliveryId}`, no: `/no ${deliveryId}` };
  const question = { deliveryId, number, what: `rm ${deliveryId}`, answers };
  reply.asked?.(question);
  return question;
}

test("what another terminal says is told in words, and that it is working", async () => {
  const { chat, seen } = await world();
  chat.overhear("hello");
  chat.othersAtWork(true);
  chat.othersAtWork(false);
  expect(seen()).toBe("> \nAnother terminal says: hello\n> \nAnother terminal is working.\n> ");
});

test("an answer that this terminal leaves is not called stopped", async () => {
  const { chat, seen } = await world();
  chat.reply().end("left");
  expect(seen()).toContain("Not finished: the next one continues it.");
  expect(seen()).not.toContain("Stopped.");
});

test("a turn is told in words, and ends with a prompt", async () => {
  const { chat, said, type, seen, time, answered } = await world({ isQueued: true });
  expect(seen()).toBe("> ");
  await type("hel");
  await type("lo\\\nthere\nmore");
  expect(said).toEqual(["hello\nthere"]);
  const reply = chat.reply();
  const call = { id: "1", name: "terminal", arguments: JSON.stringify({ command: "ls\u001b[2J" }) };
  reply.reasoning("Hm.\n");
  reply.text("**Bold**\u001b]0;owned\u0007 and `code`\n\n```js\nlet a\n");
  reply.toolCall(call);
  reply.toolProgress?.(call, { kind: "started" });
  await time.pass(5_000);
  reply.toolResult(call, "one\ntwo");
  reply.retry?.({ reason: "busy (429)", waitMs: 2_000, attempt: 2, attempts: 4 });
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const facts = {
    sessionId: "s" as never,
    asked: "a",
    model: "big",
    usage: { ...usage, totalTokens: 1_200, cost: 0.5 },
    session: { tokens: 3_400, cost: 1.5 },
  };
  reply.end("done", facts);
  await answered();
  expect(seen()).toBe(
    [
      ...["Baton is working.", "Thinking:", "Hm.", "Bold and `code`", "", "```js", "let a", "```"],
      ...["Tool: terminal ls", "Result after 5 s: one", "two"],
      ...[
        "busy (429): trying again in 2 s (2 of 4).",
        "Done. a → big, 3.4k tokens (+1.2k), $1.50 (+$0.50)",
        "> ",
      ],
    ].join("\n"),
  );
  await type("\n");
  expect(said).toEqual(["hello\nthere", "more"]);
});

test("a turn of which nobody knows what it used says nothing of that", async () => {
  const { chat, seen } = await world();
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalTokens: 0 };
  const session = { tokens: 3_400, cost: 0 };
  chat.reply().end("stopped", {
    sessionId: "s" as never,
    asked: "a",
    model: "a",
    session,
    usage: { ...usage, cost: 0 },
  });
  expect(seen()).toMatch(/\nStopped\. a\n> $/);
});

test("the first prompt stands behind all that is said first", async () => {
  const { chat, seen } = await world({ isBegun: false });
  chat.note("Garden, 3 h ago.");
  chat.print("Another terminal is here too.");
  expect(seen()).toBe("Garden, 3 h ago.\nAnother terminal is here too.\n");
  chat.redraw();
  expect(seen()).toBe("> ");
});

test("while a question waits, the line begins with a prompt, whatever was said meanwhile", async () => {
  const { chat, seen, time } = await world();
  const reply = chat.reply();
  const call = { id: "1", name: "terminal", arguments: "{}" };
  reply.toolCall(call);
  ask(reply, "a");
  chat.print("This deletes a.", "a");
  await time.pass(500);
  seen();
  reply.toolResult(call, "done");
  expect(seen()).toBe("\nResult: done\n> ");
});

test("a letter answers the oldest question, once it could be read; other lines are messages", async () => {
  const { chat, said, pressed, type, seen, time } = await world();
  await type("go\n");
  const reply = chat.reply();
  const first = ask(reply, "a");
  ask(reply, "b", 2);
  await type("y\n"); // Nothing was shown yet.
  expect(said).toEqual(["go", "y"]);
  chat.print("This deletes a.", "a");
  chat.print("This deletes b.", "b");
  expect(seen()).toMatch(/This deletes b\.\nquestion 1, 1 of 2: rm a\n$/);
  await time.pass(500);
  expect(seen()).toBe("Waiting for you: y / n, then Enter.\n> ");
  await type("wait\n");
  await type("Y\n");
  expect(said).toEqual(["go", "y", "wait"]);
  expect(pressed).toEqual(["/yes a"]);
  reply.answered?.(first, "");
  expect(seen()).toMatch(/rm b\n$/);
  await type("n\n"); // The second one is there for no moment yet.
  expect(pressed).toEqual(["/yes a"]);
  await time.pass(500);
  expect(seen()).toMatch(/Waiting for you: y \/ n, then Enter\.\n> $/);
  await type("n\n");
  expect(pressed).toEqual(["/yes a", "/no b"]);
});

test("a word answers as in every chat, with the number of a question or without; more is a message", async () => {
  const { chat, said, pressed, type, time } = await world();
  const reply = chat.reply();
  ask(reply, "a");
  ask(reply, "b", 2);
  for (const id of ["a", "b"]) chat.print(`This deletes ${id}.`, id);
  await time.pass(500);
  await type("yes, but first look\nare you sure?\nyes 2\nno\n");
  expect(said).toEqual(["yes, but first look", "are you sure?"]);
  expect(pressed).toEqual(["/yes b", "/no a"]);
});

test("Ctrl-C stops a turn, or asks for another one that leaves; the end of the input leaves", async () => {
  const { chat, onStop, onLeave, seen, input } = await world();
  const reply = chat.reply();
  process.emit("SIGINT");
  expect(onStop).toHaveBeenCalledTimes(1);
  reply.end("stopped");
  expect(seen()).toMatch(/\nStopped\.\n> $/);
  const other = await world();
  process.emit("SIGINT");
  expect(other.seen()).toBe("> \nPress Ctrl-C again to leave.\n> ");
  process.emit("SIGINT");
  expect(other.onLeave).toHaveBeenCalledTimes(1);
  await chat.close();
  await other.chat.close();
  const third = await world();
  third.input.end();
  await vi.waitFor(() => expect(third.onLeave).toHaveBeenCalledTimes(1));
  expect(input.listenerCount("data")).toBe(0);
  expect(onLeave).toHaveBeenCalledTimes(1);
});

test("Ctrl-C stops what waits, whatever is printed meanwhile, until all of it is over", async () => {
  const { chat, type, onStop, onLeave, seen, answered } = await world({ isQueued: true });
  await type("one\ntwo\n/status\n");
  chat.print("Agent: a, working on an answer.");
  chat.reply().end("stopped");
  seen();
  process.emit("SIGINT");
  expect([onStop.mock.calls, onLeave.mock.calls, seen()]).toEqual([[[]], [], ""]);
  await answered();
  expect(seen()).toBe("> ");
});

test("Ctrl-C clears the lines of a message that was begun, and says so, before it leaves", async () => {
  const { said, type, onLeave, seen } = await world();
  await type("draft one\\\n");
  seen();
  process.emit("SIGINT");
  expect(seen()).toBe("Your message is cleared. I sent nothing of it.\n> ");
  await type("new message\n");
  expect(said).toEqual(["new message"]);
  await type("again\\\n");
  for (const _ of ["clear", "ask"]) process.emit("SIGINT");
  expect([seen(), onLeave.mock.calls]).toEqual([expect.stringMatching(/again to leave\.\n> $/), []]);
  process.emit("SIGINT");
  expect(onLeave).toHaveBeenCalledTimes(1);
});

test("a second Ctrl-C never drops a draft", async () => {
  const { said, type, onStop, onLeave, seen, answered } = await world({ isQueued: true });
  await type("hello\ndraft\\\n");
  process.emit("SIGINT");
  await answered();
  seen();
  process.emit("SIGINT");
  expect(seen()).toMatch(/Press Ctrl-C again to clear your message\.\n> $/);
  await type("and more\n");
  expect([said, onStop.mock.calls.length, onLeave.mock.calls]).toEqual([["hello", "draft\nand more"], 1, []]);
});

test("what was typed is saved for later runs, but no answers; what can't be saved is told", async () => {
  const { chat, type, saved, seen, time } = await world();
  await type("one\ntwo\\\nlines\n\none\none\n/status\n");
  ask(chat.reply(), "a");
  chat.print("This deletes a.", "a");
  await time.pass(500);
  await type("y\nunsaved\n");
  await chat.close();
  expect(saved).toEqual(["one", "two\nlines", "one", "/status"]);
  expect(seen()).toContain("The line was not kept for later runs: The disk is full.");
});

test("the words of others, and that a session was taken away, are lines of their own", async () => {
  const { chat, seen } = await world();
  chat.overhear("what is\u001b[2J new?");
  chat.print("Garden plans moved to Telegram. To bring it back, send `/resume 1`.");
  expect(seen()).toBe(
    [
      ...["> ", "Another terminal says: what is new?", "> "],
      ...["Garden plans moved to Telegram. To bring it back, send", "`/resume 1`.", "> "],
    ].join("\n"),
  );
});

test("a tool that runs for long is named once a minute, with the last line that it printed", async () => {
  const { chat, seen, time } = await world();
  const reply = chat.reply();
  const call = { id: "1", name: "terminal", arguments: JSON.stringify({ command: "make" }) };
  reply.toolCall(call);
  reply.toolProgress?.(call, { kind: "started" });
  seen();
  await time.pass(60_000);
  expect(seen()).toBe("Still running: terminal make, 1 min 0 s\n");
  reply.toolProgress?.(call, { kind: "output", text: "10%\n20%\u001b[2J\n", skipped: 0 });
  await time.pass(60_000);
  expect(seen()).toBe("Still running: terminal make, 2 min 0 s: 20%\n");
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`);
  reply.toolResult(call, lines.join("\n"));
  expect(seen().split("\n")).toEqual([
    ...["Result after 2 min 0 s: line 1", "line 2"],
    ...["… 36 more lines (`baton sessions export` has all)", "line 39", "line 40", ""],
  ]);
  reply.end("done");
  await time.pass(600_000);
  expect(seen()).toBe("Done.\n> ");
});
