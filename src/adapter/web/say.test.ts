import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSaid } from "./say.js";
import type { Said } from "./wire.js";

const ID = "a".repeat(22);
const said = (more: object = {}): unknown => ({ id: ID, thread: null, text: "hello", ...more });
const file = (more: object = {}): object => ({ ref: "0-a", name: "a.txt", mediaType: "text/plain", ...more });
const files = (...all: readonly unknown[]): Said["files"] => {
  const parsed = parseSaid(said({ files: all }));
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed.files;
};

describe("what is said", () => {
  it.each([
    ["a message", said(), { id: ID, thread: null, text: "hello" }],
    ["without a thread", { id: ID, text: "a" }, { id: ID, thread: null, text: "a" }],
    ["in a thread", said({ thread: "a_b-c123" }), { id: ID, thread: "a_b-c123", text: "hello" }],
    ["a press", said({ text: "/new", press: true }), { id: ID, thread: null, text: "/new", press: true }],
    [
      "more than that",
      said({ role: "system", __proto__: { a: 1 } }),
      { id: ID, thread: null, text: "hello" },
    ],
  ])("is taken: %s", (_, body, parsed) => {
    expect(parseSaid(body)).toEqual(parsed);
  });

  it.each([
    ["nothing", null, "JSON object"],
    ["a list", [], "JSON object"],
    ["a text", "hello", "JSON object"],
    ["without an id", said({ id: undefined }), "`id`"],
    ["with a short id", said({ id: "a" }), "`id`"],
    ["with an id of other signs", said({ id: `${ID}\n` }), "`id`"],
    ["in a thread that is no word", said({ thread: "../../a/b" }), "`thread`"],
    ["in thread 5", said({ thread: 5 }), "`thread`"],
    ["without a text", said({ text: undefined }), "`text`"],
    ["a list of texts", said({ text: ["a"] }), "`text`"],
    ["blanks", said({ text: " \n" }), "Write something."],
    ["half a press", said({ press: 1, text: "/new" }), "`press`"],
    ["a press of no command", said({ press: true }), "A press"],
    ["files that are no list", said({ files: { length: 1 } }), "`files`"],
    ["too many files", said({ files: Array(100).fill(file()) }), "`files`"],
    ["half a file", said({ files: [file(), {}] }), "Each file"],
    ["a path for a file", said({ files: [file({ ref: "../baton.db" })] }), "Each file"],
    ["a file without a name", said({ files: [file({ name: 4 })] }), "Each file"],
  ])("is refused: %s", (_, body, why) => {
    expect(parseSaid(body)).toContain(why);
  });

  it("is taken or refused in a sentence, whatever is sent", () => {
    const field = fc.oneof(fc.anything(), fc.constant(ID), fc.constant("hello"), fc.constant([file()]));
    const body = fc.record(
      { id: field, thread: field, text: field, files: field, press: field },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, fc.anything()), (given) => {
        const parsed = parseSaid(given);
        if (typeof parsed === "string") expect(parsed).toMatch(/\.$/);
        else expect(parsed).toMatchObject({ id: expect.any(String), text: expect.any(String) });
      }),
    );
  });
});

describe("files", () => {
  it("may be all that is said", () => {
    expect(parseSaid(said({ text: "", files: [file({ voice: true })] }))).toMatchObject({
      files: [{ voice: true }],
    });
  });

  it("have a clean name on one line", () => {
    const names = ["\u202egnp.exe", " a\n\u0000b ", "", "x".repeat(5_000)].map((name) => file({ name }));
    expect(files(...names)?.map(({ name }) => name.length > 100 || name)).toEqual([
      ...["gnp.exe", "a b", "file", `${"x".repeat(99)}…`],
    ]);
  });

  it.each([
    ["Image/PNG; charset=x", "image/png"],
    ["text/html", "text/html"],
    ["", "application/octet-stream"],
    ["image/png\r\nset-cookie: a=b", "application/octet-stream"],
    ["a/b/c", "application/octet-stream"],
    [7, "application/octet-stream"],
  ])("have a media type: %j", (given, mediaType) => {
    expect(files(file({ mediaType: given }))).toMatchObject([{ mediaType }]);
  });
});
