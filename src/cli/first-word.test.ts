import { describe, expect, it } from "vitest";
import "../adapter/platforms.js";
import { meantLine } from "./first-word.js";
import { baton } from "./verbs/verbs.js";

const verbs = baton.verbs ?? [];
const meant = (...words: string[]) => meantLine(words, verbs);
const asIs = (...words: string[]) => ({ kind: "command", words });
const message = (...words: string[]) => ({ kind: "command", words: ["chat", ...words] });

describe("the first word of a command line", () => {
  it("nothing is a chat", () => expect(meant()).toEqual(message()));

  it.each([["sessions", "list"], ["--help"], ["-V"], ["help"], ["chat", "sessions"], ["doctor"]])(
    "a command stays one: %s %s",
    (...words) => expect(meant(...words)).toEqual(asIs(...words)),
  );

  it.each([
    ["why is the sky blue?"],
    ["review this", "--model", "x"],
    ["what", "is", "new"],
    ["hello"],
    ["Привет"],
    ["status of the build"],
    ["list", "my", "files"],
    ["run", "uname"],
    ["sessions list of today"],
    [""],
    ["/status"],
    ["/handoff"],
    ["-m", "doctor"],
    ["--json", "hi"],
    ["--", "-1 + 2"],
  ])("a question is a message: %s", (...words) => expect(meant(...words)).toEqual(message(...words)));

  it.each([
    ["sesions"],
    ["sesions", "list"],
    ["docter"],
    ["modles"],
    ["caht"],
    ["Doctor"],
    ["gatway", "status"],
  ])("a typing mistake is left to the command table: %s %s", (...words) =>
    expect(meant(...words)).toEqual(asIs(...words)),
  );

  it.each([
    ["status", "gateway status"],
    ["search", "sessions search"],
    ["start", null],
    ["version", null],
  ])("a single word that looks like a command is sent to no model: %s", (word, instead) => {
    expect(meant(word)).toEqual({ kind: "doubtful", word, instead });
    expect(meant(word, "--json")).toMatchObject({ kind: "doubtful" });
  });

  it("every command is found by its name", () => {
    for (const { name } of verbs) expect(meant(name)).toEqual(asIs(name));
  });
});
