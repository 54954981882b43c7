import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { addressOf, localSource } from "../../session/source.js";
import type { InboundMessage, Received } from "../adapter.js";
import { readPiped, ScriptAdapter } from "./script.js";

const call = { id: "1", name: "terminal", arguments: '{"command":"ls -la","timeout":5}' };
const address = addressOf(localSource());

function script(json: boolean, answer: (adapter: ScriptAdapter, message: InboundMessage) => Received) {
  const streams = {
    stdout: new PassThrough({ encoding: "utf8" }),
    stderr: new PassThrough({ encoding: "utf8" }),
  };
  const adapter = new ScriptAdapter({ ...streams, json });
  const run = async (text: string) => {
    await adapter.connect(async (message) => answer(adapter, message));
    await adapter.ask(text);
    const outcome = await adapter.over();
    return { outcome, stdout: streams.stdout.read() ?? "", stderr: streams.stderr.read() ?? "" };
  };
  return { run };
}

const notice = (adapter: ScriptAdapter, text: string) => adapter.send({ address, text, deliveryId: "d" });

describe("a script", () => {
  const turn = (adapter: ScriptAdapter): Received => {
    void notice(adapter, "The session\u001b]0;x\u0007 was reset.");
    const reply = adapter.live();
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

  it("takes what a command is answered for the answer", async () => {
    const { run } = script(false, (adapter, message) => {
      expect(message).toMatchObject({ kind: "command", text: "/status", source: localSource() });
      void notice(adapter, "All is well.");
      return "accepted";
    });
    expect(await run("/status")).toEqual({ outcome: "done", stdout: "All is well.\n", stderr: "" });
  });

  it("is not over before what a command asked for is, nor before what is said of it", async () => {
    const streams = { stdout: new PassThrough({ encoding: "utf8" }), stderr: new PassThrough() };
    const adapter = new ScriptAdapter({ ...streams, json: true });
    await adapter.connect(async () => {
      void notice(adapter, "Trying again.");
      return "accepted";
    });
    await adapter.ask("/retry");
    const reply = adapter.live();
    reply.text("Half");
    reply.end("failed");
    await notice(adapter, "It broke off.");
    expect(await adapter.over()).toBe("failed");
    const events = String(streams.stdout.read()).trimEnd().split("\n");
    expect(events.map((line) => JSON.parse(line))).toEqual([
      { kind: "message", text: "Trying again." },
      { kind: "text", text: "Half" },
      { kind: "message", text: "Half" },
      { kind: "notice", text: "It broke off." },
      { kind: "done", outcome: "failed" },
    ]);
  });

  it("says how it ended", async () => {
    const ended = (outcome: "stopped" | "failed") =>
      script(false, (adapter) => {
        adapter.live().end(outcome);
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
    const { run } = script(false, (adapter) => {
      void adapter.disconnect();
      return "accepted";
    });
    expect(await run("hi")).toMatchObject({ outcome: "stopped" });
  });

  it("reads a pipe as typed text", async () => {
    expect(await readPiped(Readable.from([Buffer.from("  a\r\nb\u001b[31m\n"), Buffer.from("ü\n")]))).toBe(
      "a\nb\nü",
    );
  });
});
