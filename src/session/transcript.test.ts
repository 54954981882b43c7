import { describe, expect, it } from "vitest";
import { type Message, parseMessage } from "./transcript.js";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "run", arguments: "{}" })),
});

describe("parseMessage", () => {
  it("keeps what a transcript keeps and drops the rest", () => {
    expect(parseMessage({ role: "user", content: "hi", name: "", seq: 4, extra: true })).toEqual(user("hi"));
    expect(parseMessage({ ...calls("a"), toolCalls: [] })).toEqual(said(""));
    const attachments = [
      { file: "a.png", mediaType: "image/png", name: "A\0" },
      { file: "b", mediaType: "x/y", size: 0 },
    ];
    expect(
      parseMessage({ ...user("look"), attachments: attachments.map((each) => ({ ...each, path: "/" })) }),
    ).toEqual({
      ...user("look"),
      attachments: [{ ...attachments[0], name: "A\ufffd" }, attachments[1]],
    });
    expect(parseMessage({ ...user("look"), attachments: [] })).toEqual(user("look"));
  });

  it("makes text that every store holds faithfully", () => {
    expect(parseMessage(user("a\0b \ud83d"))).toEqual(user("a\ufffdb \ufffd"));
  });

  it.each([
    ["unknown_role", { role: "judge", content: "x" }],
    ["unknown_role", {}],
    ["invalid_message", null],
    ["invalid_message", { role: "user" }],
    ["invalid_message", { role: "user", content: ["x"] }],
    ["invalid_message", { role: "user", content: "x", at: 1.5 }],
    ["invalid_message", { role: "user", content: "x", attachments: "a.png" }],
    ["invalid_message", { role: "user", content: "x", attachments: [{ file: "a.png" }] }],
    [
      "invalid_message",
      { role: "user", content: "x", attachments: [{ file: "a", mediaType: "b", size: -1 }] },
    ],
    ["invalid_message", { role: "tool", content: "x" }],
    ["invalid_message", { role: "assistant", content: "x", toolCalls: [{ id: "a" }] }],
    ["invalid_message", { role: "assistant", content: "x", toolCalls: "a" }],
  ])("refuses with %s", (code, message) => {
    expect(() => parseMessage(message)).toThrow(expect.objectContaining({ code }));
  });
});
