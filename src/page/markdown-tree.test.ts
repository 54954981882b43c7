import fc from "fast-check";
import { Lexer } from "marked";
import { afterEach, describe, expect, it, vi } from "vitest";
import { aDeepText, aHostileText, filled } from "../../test/support/hostile-text.js";
import { piecesOf, type TextTree, treeOf } from "./markdown-tree.js";

afterEach(() => {
  vi.restoreAllMocks();
});

function read(text: string): readonly TextTree[] {
  return piecesOf(text).flatMap((piece) => treeOf(piece));
}

function words(trees: readonly TextTree[]): string {
  const each = (tree: TextTree): string => {
    if (typeof tree === "string") return tree;
    if ("children" in tree) return words(tree.children);
    return "text" in tree ? tree.text : "";
  };
  return trees.map(each).join("");
}

function addresses(trees: readonly TextTree[]): string[] {
  return trees.flatMap((tree) => {
    if (typeof tree === "string" || !("children" in tree)) return [];
    return [...(tree.href === undefined ? [] : [tree.href]), ...addresses(tree.children)];
  });
}

function depthOf(trees: readonly TextTree[]): number {
  const below = trees.map((tree) => (typeof tree === "object" && "children" in tree ? tree.children : []));
  return 1 + Math.max(0, ...below.map((children) => (children.length === 0 ? 0 : depthOf(children))));
}

describe("pieces", () => {
  it("ends where a block ends; lists and code stay whole", () => {
    expect(piecesOf("one\ntwo\n\nthree\n\n\n- a\n\n- b\n\nfour")).toEqual([
      "one\ntwo\n",
      "three\n\n",
      "- a\n\n- b\n",
      "four",
    ]);
    expect(piecesOf("say:\n```ts\na\n\nb\n```\nthen")).toEqual(["say:", "```ts\na\n\nb\n```", "then"]);
    expect(piecesOf("````\n```\n````")).toEqual(["````\n```\n````"]);
    expect(piecesOf("```\nnever ends\n\n- a")).toEqual(["```\nnever ends\n\n- a"]);
    expect(piecesOf(" \n\n")).toEqual([]);
  });

  it("has every line that is not blank, in order", () => {
    const lines = fc.array(fc.constantFrom("a", "", "  b", "- c", "1. d", "```", "~~~", "> e", "````"));
    const full = (text: string): string[] => text.split("\n").filter((line) => line !== "");
    fc.assert(
      fc.property(lines, (all) => {
        expect(full(piecesOf(all.join("\n")).join("\n"))).toEqual(full(all.join("\n")));
      }),
    );
  });
});

describe("addresses", () => {
  it.each([
    "[x](https://example.org/a?b=c#d)",
    "<https://example.org/>",
    "https://example.org/a",
    "www.example.org",
    "[x](mailto:ann@example.org)",
    "![a picture](https://example.org/a.png)",
    "[x][1]\n[1]: https://example.org/",
  ])("leads on: %s", (text) => {
    expect(addresses(read(text))).toHaveLength(1);
  });

  it.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](<\tjavascript:alert(1)>)",
    "[x](<java\tscript:alert(1)>)",
    "[x](<\u0001javascript:alert(1)>)",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;avascript&#58;alert(1))",
    "[x](java\\script:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](blob:https://example.org/1)",
    "[x](file:///etc/passwd)",
    "[x](view-source:https://example.org)",
    "[x](//example.org)",
    "[x](/api/leave)",
    "[x](#main)",
    "[x](x:y)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[x][1]\n[1]: javascript:alert(1)",
  ])("leads nowhere, and is shown as it is written: %s", (text) => {
    const tree = read(text);
    expect(addresses(tree)).toEqual([]);
    expect(words(tree).replaceAll("\n", "")).toContain(text.replaceAll("\n", "").slice(0, 3));
  });

  it("shows a picture as its name, and loads nothing", () => {
    expect(read("![a cat](https://example.org/cat.png)")).toEqual([
      {
        tag: "p",
        children: [{ tag: "a", href: "https://example.org/cat.png", children: ["a cat"] }],
      },
    ]);
  });

  it("leads only to the web and to mail, whatever the text is", () => {
    const part = fc.constantFrom(
      "[",
      "](",
      ")",
      "<",
      ">",
      "javascript:",
      "data:",
      "http://a",
      "\t",
      "&#58;",
      "!",
      "x",
    );
    const linked = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(linked, aHostileText(400)), (text) => {
        for (const address of addresses(read(text))) expect(address).toMatch(/^(?:https?|mailto):/);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what it is", () => {
  it("shows HTML as it is written", () => {
    for (const html of [
      "<img src=x onerror=alert(1)>",
      "<script>alert(1)</script>",
      "a <b>c</b> <!-- d -->",
    ]) {
      expect(words(read(html))).toBe(html);
      expect(JSON.stringify(read(html))).not.toMatch(/"tag":"(?!p")/);
    }
  });

  it("has the parts that people write", () => {
    expect(read("# a\n\n**b** _c_ ~~d~~ `e`\n\n> f\n\n3. g\n\n---")).toEqual([
      { tag: "h2", children: ["a"] },
      {
        tag: "p",
        children: [
          { tag: "strong", children: ["b"] },
          " ",
          { tag: "em", children: ["c"] },
          " ",
          { tag: "del", children: ["d"] },
          " ",
          { tag: "code", children: ["e"] },
        ],
      },
      { tag: "blockquote", children: [{ tag: "p", children: ["f"] }] },
      { tag: "ol", start: 3, children: [{ tag: "li", children: ["g"] }] },
      { tag: "hr" },
    ]);
    expect(read("- [x] a\n- [ ] b")).toMatchObject([
      {
        tag: "task-list",
        children: [
          { tag: "li", children: [{ tag: "task", isDone: true }, "a"] },
          { tag: "li", children: [{ tag: "task", isDone: false }, "b"] },
        ],
      },
    ]);
    expect(read("|a|b|\n|-|-:|\n|c|d|")).toMatchObject([
      {
        tag: "table",
        children: [{ tag: "tr" }, { tag: "tr", children: [{}, { tag: "td", align: "right" }] }],
      },
    ]);
    expect(read("```ts twice\nlet a;\n```")).toEqual([{ tag: "code-block", lang: "ts", text: "let a;" }]);
  });
});

describe("hostile text", () => {
  const LENGTH = 200_000;
  const units = [
    "[",
    "**",
    "*a ",
    "> ",
    "- ",
    "> - 1. ",
    "1. ",
    "`",
    "![",
    "[a](",
    "<a ",
    "<?",
    "!",
    "a@b",
    "\\",
  ];
  const blocks = [
    "| a ",
    "a|b\n-|-\n",
    "|\n",
    "a\n-\n",
    "- a\n\n",
    "> a\n\n",
    "*a* [b](c)\n\n",
    "    a\n",
    "[a]: b\n",
  ];

  it.each([...units, ...blocks])("is read to its end: %j, many thousand times", (unit) => {
    const lex = vi.spyOn(Lexer.prototype, "lex");
    const shown = words(read(`${filled(unit, LENGTH)}\n\nthe **end**`));
    expect(shown).toMatch(/the (?:\*\*)?end(?:\*\*)?$/);
    for (const [piece] of lex.mock.calls) expect(piece.length).toBeLessThanOrEqual(8_000);
  });

  it.each(["> ", "- ", "> - 1. ", "1. ", "1) - ", "* + "])("is not read if it is deep: %j", (unit) => {
    const text = `${unit.repeat(100)}x`;
    expect(treeOf(text)).toEqual([{ tag: "plain", text }]);
  });

  it("keeps long rules, and short quotes in quotes", () => {
    expect(treeOf("-".repeat(100))).toEqual([{ tag: "hr" }]);
    expect(treeOf("> > > a")).toMatchObject([{ tag: "blockquote" }]);
  });

  it("has a bounded depth, and is never lost whole", () => {
    fc.assert(
      fc.property(fc.oneof(aHostileText(3_000), aDeepText(3_000)), (text) => {
        const tree = read(`${text}\n\nthe end`);
        expect(depthOf(tree)).toBeLessThanOrEqual(30);
        expect(JSON.stringify(tree)).toContain("the end");
      }),
    );
  });

  it("is shown as it is if the parser fails", () => {
    vi.spyOn(Lexer.prototype, "lex").mockImplementation(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    expect(treeOf("a **b**")).toEqual([{ tag: "plain", text: "a **b**" }]);
  });
});
