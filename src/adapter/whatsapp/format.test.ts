import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aMarkdown, wordsOf } from "../../../test/support/random-markdown.js";
import { split } from "../../delivery/split.js";
import { formatText } from "./format.js";

const J = "\u2060";

describe("Markdown in WhatsApp", () => {
  it("has marks of its own", () => {
    expect(formatText("**b** _i_ *i* ~~s~~ `c` **_bi_**")).toBe("*b* _i_ _i_ ~s~ `c` *_bi_*");
  });

  it("has no marks inside a word, nor across lines", () => {
    expect(formatText("un**believ**able")).toBe("unbelievable");
    expect(formatText("**one\ntwo**")).toBe("*one*\n*two*");
    expect(formatText("# A **b** 2 * 3")).toBe("*A b 2 * 3*");
  });

  it("has quotes, rules, lists and fences", () => {
    expect(formatText("> said\n> twice\n\n---\n\n- one\n  1. two\n- [x] three")).toBe(
      "> said\n> twice\n\n———\n\n- one\n  1. two\n- ☑ three",
    );
    expect(formatText("```ts\nlet *a*;\n```")).toBe("```\nlet *a*;\n```");
    expect(formatText("````\n```\n````")).toBe(`\`\`\`\n\`${J}\`${J}\`\n\`\`\``);
    expect(formatText("| a | bb |\n|---|---|\n| ccc | d |")).toBe("```\na    bb\n───  ──\nccc  d\n```");
  });

  it("says where links lead, and leaves them as they are", () => {
    expect(
      formatText(
        "[here](https://e.org/_x_) <https://e.org/_y_> https://e.org/_z_ [r][1]\n\n[1]: https://r.org",
      ),
    ).toBe("here (https://e.org/_x_) https://e.org/_y_ https://e.org/_z_ r (https://r.org)");
  });

  it("keeps literal marks from being taken for marks", () => {
    expect(formatText("\\*a\\* \\_b\\_ 2 * 3 snake_case_name")).toBe(`${J}*a* ${J}_b_ 2 * 3 snake_case_name`);
    expect(formatText("\\> no quote")).toBe(`${J}> no quote`);
  });

  it("says as it is what Markdown would show nothing of", () => {
    expect(formatText("[a]: https://e.org")).toBe("[a]: https://e.org");
  });

  it("keeps every word, and closes its fences: 10,000 documents", () => {
    let n = 0;
    fc.assert(
      fc.property(aMarkdown, (markdown) => {
        const text = formatText(markdown);
        const fences = text.match(/```/g) ?? [];
        // To know the words is to parse it once more: that is done for every tenth.
        const words = n++ % 10 === 0 ? wordsOf(markdown) : [];
        return fences.length % 2 === 0 && words.every((word) => text.includes(word));
      }),
      { numRuns: 10_000, seed: 1 },
    );
  }, 120_000);

  it("fits in pieces of any size", () => {
    const length = (text: string) => formatText(text).length;
    fc.assert(
      fc.property(aMarkdown, fc.integer({ min: 40, max: 200 }), (markdown, max) => {
        const pieces = split(markdown, { max, lengthOf: length });
        for (const { text } of pieces) expect(length(text)).toBeLessThanOrEqual(max);
        expect(pieces.map(({ body }) => body).join("")).toBe(pieces.length > 0 ? markdown : "");
      }),
      { numRuns: 100, seed: 2 },
    );
  }, 120_000);
});
