/** Which messages are nothing but an answer. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { InboundMessage } from "../adapter/adapter.js";
import { localSource } from "../session/source.js";
import { answerIn, answerOf } from "./answer-words.js";

it.each([
  [
    "yes",
    "y",
    "Yes.",
    " YES! ",
    "ok",
    "Okay…",
    "ja",
    "Sí",
    "si\u0301",
    "oui",
    "да",
    "はい。",
    "👍",
    "👍🏽",
    "✅",
    "ｙｅｓ",
  ],
  ["no", "n", "No.", "NO!!", "nein", "non", "нет", "いいえ", "👎🏿", "❌"],
  ["always", "a", "Always!"],
])("%s is said in several ways", (answer, ...texts) => {
  for (const text of [answer, ...texts]) expect(answerIn(text)).toEqual({ answer, number: null });
});

it.each([
  ["yes 2", "yes", 2],
  ["Yes #12", "yes", 12],
  ["no, 3.", "no", 3],
  ["always 1", "always", 1],
] as const)("%s names a question", (text, answer, number) => {
  expect(answerIn(text)).toEqual({ answer, number });
});

it.each([
  "",
  "yes?",
  "yes, but first show me the files",
  "yes and no",
  "yes\nrm -rf /",
  "no way",
  "not yes",
  "yesterday",
  "y2",
  "2",
  "yes 2 3",
  "yes -2",
  "yes 12345",
  "yes two",
  "“yes”",
  "> yes",
  "`yes`",
  "/yes",
  "constructor",
  "toString",
])("%j answers nothing", (text) => {
  expect(answerIn(text)).toBeNull();
});

it("never finds an answer in longer words around one", () => {
  const word = fc.constantFrom("yes", "no", "always", "ok", "y");
  const more = fc.stringMatching(/^[a-z?]{1,8}$/);
  fc.assert(
    fc.property(word, more, (said, other) => {
      expect(answerIn(`${said} ${other}`)).toBeNull();
      expect(answerIn(`${other} ${said}`)).toBeNull();
    }),
  );
});

it("counts only what was written anew, by its sender, and alone", () => {
  const message: InboundMessage = { kind: "message", source: localSource(), messageId: "1", text: "yes" };
  const file = { mediaType: "audio/ogg", voice: true as const, read: async () => new Uint8Array() };
  expect(answerOf(message)).toEqual({ answer: "yes", number: null });
  for (const more of [
    { kind: "edit" },
    { kind: "reaction", text: "👍" },
    { kind: "deletion" },
    { forwarded: {} },
    { isText: true },
    { files: [file] },
    { parts: [{ kind: "sticker", words: "a thumb" }] },
  ] as Partial<InboundMessage>[])
    expect(answerOf({ ...message, ...more })).toBeNull();
});
