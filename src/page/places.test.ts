import fc from "fast-check";
import { expect, it } from "vitest";
import { addressOfChat, addressOfSession, placeOf } from "./places.js";

it.each([
  ["/", { kind: "chat", thread: null }],
  ["/chat", { kind: "chat", thread: null }],
  ["/chat/abcdefgh", { kind: "chat", thread: "abcdefgh" }],
  ["/chat/short", { kind: "chat", thread: null }],
  ["/chat/with%20blanks", { kind: "chat", thread: null }],
  ["/conversation/a%2Fb?at=4", { kind: "conversation", id: "a/b", at: 4 }],
  ["/conversation/a?at=<b>", { kind: "conversation", id: "a", at: null }],
  ["/conversation/a?at=1e99", { kind: "conversation", id: "a", at: null }],
  ["/conversation/%zz", { kind: "conversation", id: "%zz", at: null }],
  ["/conversation", { kind: "view", path: "/conversation" }],
  ["/jobs/j1?x=1", { kind: "view", path: "/jobs/j1" }],
  ["//evil.example/x", { kind: "chat", thread: null }],
] as const)("reads %s", (address, place) => {
  expect(placeOf(address)).toEqual(place);
});

it("finds back to every thread and conversation, and never leads elsewhere", () => {
  const thread = fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/);
  fc.assert(
    fc.property(thread, fc.string({ minLength: 1, unit: "binary" }), (name, text) => {
      expect(placeOf(addressOfChat(name))).toEqual({ kind: "chat", thread: name });
      const id = text.toWellFormed();
      const address = addressOfSession({ id, endedAt: null });
      expect(address).toMatch(/^\/conversation\/[^/?#]+$/);
      expect(placeOf(address)).toEqual({ kind: "conversation", id, at: null });
    }),
  );
});

it("goes on in the page if the conversation is there and not over", () => {
  expect(addressOfSession({ id: "s", thread: null, endedAt: null })).toBe("/");
  expect(addressOfSession({ id: "s", thread: "abcdefgh", endedAt: null })).toBe("/chat/abcdefgh");
  expect(addressOfSession({ id: "s", thread: null, endedAt: 5 })).toBe("/conversation/s");
});
