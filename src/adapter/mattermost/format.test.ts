import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aDocument } from "../../../test/support/random-markdown.js";
import { formatText } from "./format.js";

const DEFUSED = "@\u200b";

describe("Markdown for Mattermost", () => {
  it.each([
    [
      "It is **very** *much* `co<de`\n\n| a |\n|---|\n| b |",
      "It is **very** *much* `co<de`\n\n| a |\n|---|\n| b |",
    ],
    ["Hi @ann, mail ann@example.org.", `Hi ${DEFUSED}ann, mail ann@example.org.`],
    ["@**ann** \\@ann &#64;ann &commat;ann", `${DEFUSED}**ann** \\${DEFUSED}ann ${DEFUSED}ann ${DEFUSED}ann`],
    ["<b>@ann</b>\n\n> _@ann_", `<b>${DEFUSED}ann</b>\n\n> _${DEFUSED}ann_`],
    ["`@ann`\n\n```py\n@dataclass\n```", "`@ann`\n\n```py\n@dataclass\n```"],
    ["`@here`", `\`${DEFUSED}here\``],
    [
      "https://example.org/@ann <https://example.org/@ann>",
      "https://example.org/@ann <https://example.org/@ann>",
    ],
    ["[@ann](https://example.org/@ann)", `[${DEFUSED}ann](https://example.org/@ann)`],
    ["[the **adapter**](src/a.ts)", "the **adapter** (`src/a.ts`)"],
    ["[the adapter][1]\n\n[1]: src/__a__.ts", "the adapter (`src/__a__.ts`)\n\n[1]: src/__a__.ts"],
    ["![a | b](a|b.png) [](c.ts) [c.ts](c.ts)", "a | b (`a%7Cb.png`) (`c.ts`) c.ts"],
  ])("%j", (markdown, text) => {
    expect(formatText(markdown)).toBe(text);
  });

  it("is what was written, where nothing names anybody and no link leads nowhere", () => {
    fc.assert(
      fc.property(aDocument, (markdown) => {
        const plain = markdown
          .replace(/[@[\]&\r]/g, "")
          .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
        expect(formatText(plain)).toBe(plain.toWellFormed());
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});
