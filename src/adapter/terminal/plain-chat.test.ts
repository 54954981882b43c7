/** The chat in plain lines: words only, nothing is drawn again. */
import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { afterEach, expect, test, vi } from "vitest";
import type { LiveReply } from "../live-reply.js";
import { PlainChat } from "./plain-chat.js";

let chat: PlainChat | null = null;
afterEach(() => chat?.close());

async function world({ isBegun = true } = {}) {
  const input = Object.assign(new PassThrough(), { setRawMode: vi.fn() });
  const output = Object.assign(new PassThrough(), { columns: 60 });
  const said: string[] = [];
  const pressed: string[] = [];
  const onLeave = vi.fn();
  const onStop = vi.fn();
  const time = { now: 0 };
  const made = new PlainChat(
    {
      // Terminals, as far as they are used here.
      input: input as unknown as ReadStream,
      output: output as unknown as WriteStream,
      clock: () => time.now,
      ...{ onStop, onLeave, heir: () => "the next one continues it" },
    },
    {
      submit: async (text) => {
        said.push(text);
        return !text.startsWith("/");
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
  return { chat: made, input, said, pressed, onLeave, onStop, time, seen, type };
}

function ask(reply: LiveReply, deliveryId: string) {
  const answers = { yes: `/yes ${deliveryId}`, no: `/no ${deliveryId}` };
  const question = { deliveryId, what: `rm ${deliveryId}`, answers };
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
  const { chat, said, type, seen, time } = await world();
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
  time.now = 5_000;
  reply.toolResult(call, "one\ntwo");
  reply.retry?.({ reason: "busy (429)", waitMs: 2_000, attempt: 2, attempts: 4 });
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const facts = {
    sessionId: "s" as never,
    asked: "a",
    model: "big",
    usage: { ...usage, totalTokens: 1_200, cost: 0.5 },
  };
  reply.end("done", facts);
  expect(seen()).toBe(
    [
      ...["Baton is working.", "Thinking:", "Hm.", "Bold and `code`", "", "```js", "let a", "```"],
      ...["Tool: terminal ls", "Result after 5 s: one", "… 1 more line"],
      ...["busy (429): trying again in 2 s (2 of 4).", "Done. big, 1.2k tokens, $0.50", "> "],
    ].join("\n"),
  );
  await type("\n");
  expect(said).toEqual(["hello\nthere", "more"]);
});

test("a turn of which nobody knows what it used says nothing of that", async () => {
  const { chat, seen } = await world();
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalTokens: 0 };
  chat
    .reply()
    .end("stopped", { sessionId: "s" as never, asked: "a", model: "a", usage: { ...usage, cost: 0 } });
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
  const { chat, seen } = await world();
  const reply = chat.reply();
  const call = { id: "1", name: "terminal", arguments: "{}" };
  reply.toolCall(call);
  ask(reply, "a");
  chat.print("This deletes a.", "a");
  seen();
  reply.toolResult(call, "done");
  expect(seen()).toBe("\nResult: done\n> ");
});

test("a line answers the oldest question, once it could be read; other lines are messages", async () => {
  const { chat, said, pressed, type, seen, time } = await world();
  await type("go\n");
  const reply = chat.reply();
  const first = ask(reply, "a");
  ask(reply, "b");
  await type("y\n"); // Nothing was shown yet.
  expect(said).toEqual(["go", "y"]);
  chat.print("This deletes a.", "a");
  chat.print("This deletes b.", "b");
  expect(seen()).toMatch(/This deletes b\.\n1 of 2: rm a\nWaiting for you: y \/ n, then Enter\.\n> $/);
  time.now = 1_000;
  await type("wait\n");
  await type("Yes\n");
  expect(said).toEqual(["go", "y", "wait"]);
  expect(pressed).toEqual(["/yes a"]);
  reply.answered?.(first, "");
  expect(seen()).toMatch(/Waiting for you: y \/ n, then Enter\.\n> $/);
  await type("n\n"); // The second one is there for no moment yet.
  expect(pressed).toEqual(["/yes a"]);
  time.now = 2_000;
  await type("n\n");
  expect(pressed).toEqual(["/yes a", "/no b"]);
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
