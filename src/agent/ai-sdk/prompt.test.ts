import { describe, expect, it } from "vitest";
import type { Message } from "../../session/transcript.js";
import { type PromptParts, promptOf } from "./prompt.js";

const user = (content: string): Message => ({ role: "user", content });

function prompt(messages: readonly Message[], more: Partial<PromptParts> = {}) {
  return promptOf({
    context: "Where you are.",
    messages,
    images: null,
    filesFolder: null,
    reasoning: new Map(),
    note: null,
    ...more,
  });
}

describe("what a model is sent", () => {
  it("the context first, then the messages; the context and the last one are marked for the cache", () => {
    const sent = prompt([user("one"), { role: "assistant", content: "yes" }, user("two")]);
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(sent.map(({ providerOptions }) => providerOptions !== undefined)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it("people who speak in a row, and notes, as one message", () => {
    const sent = prompt([user("one"), { role: "system", content: "reset" }, user("two")], { note: "end" });
    expect(sent[1]).toMatchObject({ content: [{ type: "text", text: "one\n\n[Note] reset\n\ntwo\n\nend" }] });
  });

  it("the day that begins with a message, in a line before it", () => {
    const today = "Thursday, 19 November 2026";
    const sent = prompt([{ role: "user", content: "hi", today }]);
    expect(sent[1]).toMatchObject({ content: [{ text: `[today: ${today}]\nhi` }] });
  });

  it("ids, names and arguments that every API takes, each call with its result", () => {
    const id = `call:${"x".repeat(80)}`;
    const sent = prompt([
      user("go"),
      { role: "assistant", content: " ", toolCalls: [{ id, name: "rm -rf", arguments: "[not json" }] },
      { role: "tool", toolCallId: id, content: "" },
    ]);
    const [, , call, result] = sent as unknown as { content: Record<string, unknown>[] }[];
    expect(call?.content).toHaveLength(1);
    expect(call?.content[0]).toMatchObject({ toolName: "rm_-rf", input: { unreadable: "[not json" } });
    expect(call?.content[0]?.toolCallId).toMatch(/^[\w-]{1,40}$/);
    expect(result?.content[0]).toMatchObject({
      toolCallId: call?.content[0]?.toolCallId,
      toolName: "rm_-rf",
      output: { type: "text", value: "(no output)" },
    });
  });

  it("arguments that are nested too deeply to be written again: as they were, and shortened", () => {
    const deep = `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const sent = prompt([
      user("go"),
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "x", arguments: deep }] },
      { role: "tool", toolCallId: "1", content: "" },
    ]);
    expect(JSON.stringify(sent)).toContain('{"unreadable":"{\\"x\\":[[[');
  });

  it("images where the model takes them, and a note where it does not", () => {
    const attachments = [
      { file: "a.png", mediaType: "image/png" },
      { file: "gone.png", mediaType: "image/png" },
      { file: "x.pdf", mediaType: "application/pdf" },
    ];
    const message: Message = { role: "user", content: "look", attachments };
    const bytes = new Uint8Array([1]);
    expect(prompt([message], { images: new Map([["a.png", bytes]]) })[1]).toMatchObject({
      content: [
        { text: "look" },
        { type: "file", data: bytes },
        { text: expect.stringContaining("can't be read") },
      ],
    });
    expect(JSON.stringify(prompt([message]))).toContain("this model can't read images");
  });
});
