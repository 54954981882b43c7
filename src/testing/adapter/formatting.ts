/** Markdown becomes the platform's own: whatever it makes of it, no word is lost. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Stage } from "./stage.js";

/** What it is, the Markdown, and the words that must be seen. */
const FORMATS: readonly (readonly [string, string, readonly string[]])[] = [
  ["bold", "It is **very** important", ["It is", "very", "important"]],
  ["italic", "It is *rather* and _quite_ so", ["rather", "quite"]],
  ["crossed out", "This is ~~old~~ new", ["old", "new"]],
  ["bold in italic", "*all **of** it*", ["all", "of", "it"]],
  ["code", "Call `run this` now", ["Call", "run this", "now"]],
  ["a fence with its language", "```ts\nconst answer = 42;\n```", ["const answer = 42;"]],
  ["a list in a list", "- apples\n  - green\n  - red\n- pears", ["apples", "green", "red", "pears"]],
  ["a numbered list", "1. first\n2. second\n3. third", ["first", "second", "third"]],
  [
    "a table",
    "| fruit | count |\n|---|---:|\n| apple | 3 |\n| pear | 12 |",
    ["fruit", "count", "apple", "3", "pear", "12"],
  ],
  ["a link", "See [the notes](https://example.org/notes)", ["See", "the notes", "https://example.org/notes"]],
  ["a bare link", "See https://example.org/a now", ["See", "https://example.org/a", "now"]],
  ["a quote", "> said before\n\nand after", ["said before", "and after"]],
  ["a heading", "# Title\n\nand text", ["Title", "and text"]],
  ["a rule", "above\n\n---\n\nbelow", ["above", "below"]],
  ["what is never closed", "**bold, `code and [link](", ["bold,", "code and", "link"]],
];

export function formattingCases(stage: Stage): void {
  describe("shows", () => {
    beforeEach(() => stage.connect());

    it.each(FORMATS)("%s", async (_what, markdown, words) => {
      await stage.sendAll([markdown]);
      const shown = (await stage.fixture.shown()).join("\n");
      for (const word of words) expect(shown).toContain(word);
      await stage.expectShown([markdown]);
    });

    it("names, and notifies nobody by them", async ({ skip }) => {
      const { fixture } = stage;
      if (!fixture.notified) return skip("A text alone notifies nobody here.");
      const [id = ""] = await stage.sendAll([NAMES]);
      if (stage.speaker.edit) await stage.adapter.edit(stage.outbound(`${NAMES} again`), id);
      const shown = (await fixture.shown()).join("\n");
      for (const word of ["everyone", "annsmith", "now"]) expect(shown).toContain(word);
      expect(await fixture.notified()).toEqual([]);
    });
  });
}

/** Everybody and somebody, as platforms write them. */
const NAMES =
  "@everyone @here @all @channel @room @annsmith, *@annsmith* and @**annsmith** <@135000000000000021> <!channel> <@U0ANN> @ann:localhost now";
