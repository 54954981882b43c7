import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../test/support/gateway-world.js";
import type { Agent } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import type { ScriptedAbility } from "../testing/scripted-adapter.js";

/** Says by voice what it is told, and in writing what came of it. */
const speaker: Agent = {
  name: "speaker",
  async *run({ history, tools, signal }) {
    const text = history.at(-1)?.content ?? "";
    const call = { id: `c${history.length}`, name: "send_voice", arguments: JSON.stringify({ text }) };
    const content = await runToolCall(call, tools, signal);
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

let folder: string;
let world: World;
let ann: Chat;
let trouble: Error | null;
const open = async (can: readonly ScriptedAbility[]) => {
  trouble = null;
  const speech = async (text: string) => {
    if (trouble) throw trouble;
    return Buffer.from(`OggS ${text}`);
  };
  world = await World.open({
    can,
    mediaFolder: join(folder, "media"),
    people: { allow: {}, owners: { telegram: ["ann"] } },
    gateway: { agent: speaker, speaking: { speech } },
  });
  ann = world.chat("ann");
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-voice-"));
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

describe("an answer by voice", () => {
  it("is a recording in the chat, before what the agent writes", async () => {
    await open(["files"]);
    await ann.write("good morning");
    await world.adapter.until(() => world.adapter.sent.length === 2);
    const [spoken, written] = world.adapter.sent;
    expect(spoken?.files?.[0]).toMatchObject({ mediaType: "audio/ogg", voice: true });
    expect(spoken?.text).toBe("");
    expect(written?.text).toBe("The voice message is on its way.");
  });

  it("that can't be spoken is said to the agent, and nothing is sent", async () => {
    await open(["files"]);
    trouble = new Error("the voice server answered 500");
    expect(await ann.ask("good morning")).toBe(
      "Error: nothing was sent, because the voice server answered 500. Answer in writing.",
    );
    expect(world.adapter.sent).toHaveLength(1);
  });

  it("is not offered where there are no voice messages", async () => {
    await open([]);
    expect(await ann.ask("good morning")).toContain('there is no tool "send_voice"');
  });
});
