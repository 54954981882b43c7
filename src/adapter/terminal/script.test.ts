import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../session/ids.js";
import { addressOf, localSource } from "../../session/source.js";
import type { TurnFacts } from "../../session/turn-facts.js";
import { KeptAdapter } from "../../testing/kept-adapter.js";
import type { InboundMessage, Received } from "../adapter.js";
import { ScriptAdapter } from "./script.js";
import { takenFor } from "./terminal-source.js";

const call = { id: "1", name: "terminal", arguments: '{"command":"ls -la","timeout":5}' };
const address = addressOf(localSource());

function script(
  json: boolean,
  answer: (adapter: ScriptAdapter, message: InboundMessage, kept: KeptAdapter) => Received,
) {
  const streams = {
    stdout: new PassThrough({ encoding: "utf8" }),
    stderr: new PassThrough({ encoding: "utf8" }),
  };
  const adapter = new ScriptAdapter({ ...streams, json });
  const run = async (text: string) => {
    const kept = new KeptAdapter(adapter);
    await kept.connect(async (message) => answer(adapter, message, kept));
    const outcome = await adapter.ask(text, takenFor(text, new Set()));
    return { outcome, stdout: streams.stdout.read() ?? "", stderr: streams.stderr.read() ?? "" };
  };
  return { run };
}

/** A turn that answers somebody else, as what an earlier process left. */
function aside(adapter: ScriptAdapter): void {
  const other = adapter.live(address, "another message");
  other.text("An answer to ");
  other.text("what was asked before.");
  other.end("done");
}

const notice = (adapter: ScriptAdapter, text: string) =>
  adapter.send({ address, purpose: "notice", text, deliveryId: "1" });
const saidByCommand = (adapter: ScriptAdapter, text: string) =>
  adapter.send({ address, purpose: "command", text, deliveryId: "2" });

describe("a script", () => {
  const turn = (adapter: ScriptAdapter, { messageId }: InboundMessage): Received => {
    void notice(adapter, "The session\u001b]0;x\u0007 was reset.");
    const reply = adapter.live(address, messageId);
    reply.reasoning("hm");
    reply.text("Let me ");
    reply.text("look\u001b[2");
    reply.text("J.");
    reply.toolCall(call);
    reply.toolResult(call, "a\nb\nc\n");
    reply.text("**Three** files.\n");
    reply.end("done");
    return "accepted";
  };

  const files = [
    { path: "/media/1.png", name: "a.png", mediaType: "image/png", from: "/work/a\u0007.png" },
    { path: "/media/2", name: "b", mediaType: "text/plain" },
  ];
  const share = async (adapter: ScriptAdapter) => adapter.send({ address, text: "", deliveryId: "3", files });

  it.each([false, true])("prints where the files of the answer are; as JSON: %j", async (json) => {
    const { stdout, stderr } = await script(json, (adapter, { messageId }) => {
      const reply = adapter.live(address, messageId);
      reply.text("Look:");
      void share(adapter);
      reply.end("done");
      return "accepted";
    }).run("hi");
    const said = json
      ? [
          '{"kind":"text","text":"Look:"}',
          '{"kind":"file","path":"/work/a\\u0007.png","name":"a.png","mediaType":"image/png"}',
          '{"kind":"file","path":"/media/2","name":"b","mediaType":"text/plain"}',
          '{"kind":"message","text":"Look:"}',
          '{"kind":"done","outcome":"done"}',
        ]
      : ["Look:", "/work/a.png", "/media/2"];
    expect([stdout, stderr]).toEqual([`${said.join("\n")}\n`, ""]);
  });

  it("prints the answer on stdout, and everything else on stderr", async () => {
    expect(await script(false, turn).run("hi")).toEqual({
      outcome: "done",
      stdout: "Let me look.\n**Three** files.\n",
      stderr: "The session was reset.\nhm\n→ terminal ls -la timeout=5\na\n… 2 more lines\n",
    });
  });

  it("prints events as JSON lines", async () => {
    const { stdout, stderr } = await script(true, turn).run("hi");
    expect(stderr).toBe("");
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line: string) => JSON.parse(line));
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...[
        "notice",
        "reasoning",
        "text",
        "text",
        "text",
        "message",
        "tool call",
        "tool result",
        "text",
        "message",
      ],
      "done",
    ]);
    expect(events[5]).toEqual({ kind: "message", text: "Let me look\u001b[2J." });
    expect(events.at(-1)).toEqual({ kind: "done", outcome: "done" });
  });

  it.each([false, true])("tells of retries, and what the turn used; as JSON: %j", async (json) => {
    const retry = { reason: "it is\u0007 busy", waitMs: 8_000, attempt: 2, attempts: 4 };
    const tokens = { inputTokens: 3, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const facts: TurnFacts = {
      sessionId: "s" as SessionId,
      asked: "fast",
      model: "fast-2",
      usage: { ...tokens, totalTokens: 5, cost: null },
      session: { tokens: 9, cost: 0 },
    };
    const { stdout, stderr } = await script(json, (adapter, { messageId }) => {
      const reply = adapter.live(address, messageId);
      reply.retry?.(retry);
      reply.text("Yes.");
      reply.end("done", facts);
      return "accepted";
    }).run("hi");
    if (!json)
      return expect([stdout, stderr]).toEqual(["Yes.\n", "it is busy: trying again in 8 s (2 of 4).\n"]);
    const events = stdout.trimEnd().split("\n");
    expect(JSON.parse(events[0])).toEqual({ kind: "retry", ...retry });
    const { sessionId, model, usage } = facts;
    expect(JSON.parse(events.at(-1))).toEqual({ kind: "done", outcome: "done", sessionId, model, usage });
  });

  it("takes what a command is answered for the answer", async () => {
    const { run } = script(false, (adapter, message) => {
      expect(message).toMatchObject({ kind: "command", text: "/status", source: localSource() });
      void saidByCommand(adapter, "All is well.");
      return "accepted";
    });
    expect(await run("/status")).toEqual({ outcome: "done", stdout: "All is well.\n", stderr: "" });
  });

  it("takes no other turn for the answer", async () => {
    const message = script(false, (adapter, { messageId }) => {
      aside(adapter);
      adapter.live(address, messageId).end("failed");
      return "accepted";
    });
    const said = "An answer to what was asked before.\n";
    expect(await message.run("hi")).toEqual({
      outcome: "failed",
      stdout: "",
      stderr: `${said}✗ failed\n`,
    });
    const command = script(false, (adapter) => {
      aside(adapter);
      void notice(adapter, "I was interrupted.");
      void saidByCommand(adapter, "All is well.");
      return "accepted";
    });
    expect(await command.run("/status")).toEqual({
      outcome: "done",
      stdout: "All is well.\n",
      stderr: `${said}I was interrupted.\n`,
    });
  });

  it("goes on until nothing more comes, as after a command that asks the agent again", async () => {
    const streams = { stdout: new PassThrough({ encoding: "utf8" }), stderr: new PassThrough() };
    const adapter = new ScriptAdapter({ ...streams, json: true });
    await new KeptAdapter(adapter).connect(async () => {
      void saidByCommand(adapter, "Trying again.");
      return "accepted";
    });
    const outcome = await adapter.ask("/retry", "command", [], async () => {
      const reply = adapter.live(address, null);
      reply.text("No.");
      reply.end("failed");
      await notice(adapter, "It failed.");
    });
    expect(outcome).toBe("failed");
    const events = streams.stdout
      .read()
      .trimEnd()
      .split("\n")
      .map((line: string) => JSON.parse(line).kind);
    expect(events).toEqual(["message", "text", "message", "notice", "error", "done"]);
  });

  it("says how it ended", async () => {
    const ended = (outcome: "stopped" | "failed") =>
      script(false, (adapter, { messageId }) => {
        adapter.live(address, messageId).end(outcome);
        return "accepted";
      }).run("hi");
    expect(await ended("stopped")).toMatchObject({ outcome: "stopped", stdout: "", stderr: "■ stopped\n" });
    expect(await ended("failed")).toMatchObject({ outcome: "failed", stdout: "" });
    expect(await script(false, () => "refused").run("hi")).toMatchObject({ outcome: "refused", stdout: "" });
    await expect(
      script(false, () => {
        throw new Error("The disk is full.");
      }).run("hi"),
    ).rejects.toThrow("The disk is full.");
  });

  it("ends with the gateway", async () => {
    const { run } = script(false, (_adapter, _message, kept) => {
      void kept.disconnect();
      return "accepted";
    });
    expect(await run("hi")).toMatchObject({ outcome: "stopped" });
  });
});
