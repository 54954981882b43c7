import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstWord, readCronWords } from "./cron-words.js";

describe("the words of /cron", () => {
  it.each([
    ["every weekday at 9: send me a digest", "every weekday at 9", "send me a digest", {}],
    ["every monday at 8:30: look", "every monday at 8:30", "look", {}],
    ["2027-01-31T09:00 : look", "2027-01-31T09:00", "look", {}],
    ['"tomorrow at 9": say: hello', "tomorrow at 9", "say: hello", {}],
    ["30m\nfirst line\n\nsecond: line", "30m", "first line\n\nsecond: line", {}],
    ["1h --deliver telegram:1,ops: look", "1h", "look", { deliver: "telegram:1,ops" }],
    ["--name 'The: digest' 1h: look", "1h", "look", { name: "The: digest" }],
    ['1h --name="a b" --zone=UTC\nlook', "1h", "look", { name: "a b", zone: "UTC" }],
    ["1h: look --deliver ops —name “two words”", "1h", "look", { deliver: "ops", name: "two words" }],
    ["1h —deliver ops: look", "1h", "look", { deliver: "ops" }],
    ["1h --command: df -h --name x", "1h", "df -h --name x", { command: "" }],
    ["1h --command\ndf -h", "1h", "df -h", { command: "" }],
    ["1h --if 'test -s a': read it", "1h", "read it", { if: "test -s a" }],
    ["1h: explain --verbose and -x", "1h", "explain --verbose and -x", {}],
    ["it isn't 'quoted' here", "it isn't 'quoted' here", null, {}],
    ["--deliver ops", "", null, { deliver: "ops" }],
    [": look", "", "look", {}],
    ["1h:", "1h", "", {}],
    ["", "", null, {}],
  ])("%j", (text, before, after, options) => {
    expect(readCronWords(text)).toEqual({ before, after, options });
  });

  it.each([
    [
      "1h --delivr ops: look",
      /^There is no option --delivr\. Did you mean "deliver"\? These are known: --deliver, /,
    ],
    ["1h --name: look", "--name needs a value: `--name <name>`."],
    ["1h --name --zone UTC: look", "--name needs a value: `--name <name>`."],
    ["1h: look --name two words", /^Write the options before the colon, or at the end of the text\./],
    ["1h: look --name", "--name needs a value: `--name <name>`."],
  ])("%j is refused", (text, why) => {
    expect(() => readCronWords(text)).toThrow(why);
  });

  it("reads any text, or refuses it", () => {
    const pieces = fc.constantFrom(
      "a",
      " ",
      ":",
      "\n",
      '"',
      "'",
      "--name",
      "--command",
      "=",
      "—",
      "every 1h",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (some) => {
        const text = some.join("");
        try {
          const { before, after } = readCronWords(text);
          for (const part of [before, after ?? ""]) expect(part).toBe(part.trim());
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid_job" });
        }
      }),
    );
  });

  it("finds the job that is named first", () => {
    expect(firstWord('"my digest" 1h: look')).toEqual({ word: "my digest", rest: "1h: look" });
    expect(firstWord("j_1   1h: look")).toEqual({ word: "j_1", rest: "1h: look" });
    expect(firstWord("")).toEqual({ word: "", rest: "" });
  });
});
