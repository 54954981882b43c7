import { describe, expect, it } from "vitest";
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
    expect(formatText("\\*a\\* \\_b\\_ 2 * 3 snake_case_name")).toBe(
      `${J}*${J}a${J}*${J} ${J}_${J}b${J}_${J} 2 * 3 snake_case_name`,
    );
    expect(formatText("\\> no quote")).toBe(`${J}> no quote`);
    expect(formatText("\\- no item")).toBe(`${J}- no item`);
    expect(formatText("**a\\* b**")).toBe(`*a${J}*${J} b*`);
  });

  it("says as it is what Markdown would show nothing of", () => {
    expect(formatText("[a]: https://e.org")).toBe("[a]: https://e.org");
  });
});
