/** Colours in code: which words get which, across lines, and that nothing is lost. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HighlightedCode } from "./code-highlight.js";
import type { ScreenSpan } from "./style.js";

const MARKS: Readonly<Record<string, string>> = {
  green: "s",
  yellow: "n",
  magenta: "k",
  red: "r",
  cyan: "u",
};

/** Each part with a letter for its colour: `k:const  a = n:1`. */
function marked(spans: readonly ScreenSpan[]): string {
  return spans
    .map(({ text, style }) => {
      const mark = style.color ? MARKS[style.color] : style.dim ? "c" : "";
      return mark ? `${mark}:${text}` : text;
    })
    .join("|");
}

function show(label: string, ...lines: string[]): string[] {
  const code = new HighlightedCode(label);
  return lines.map((line) => marked(code.line(line)));
}

describe("code is coloured by language", () => {
  test.each([
    ["ts", "const a = 1.5; // one", "k:const| a = |n:1.5|; |c:// one"],
    ["TypeScript", 'return "it\\"s" + \'x\'', 'k:return| |s:"it\\"s"| + |s:\'x\''],
    ["js", "constant $const x1", "constant $const x1"],
    ["python", "def f(x): # def", "k:def| f(x): |c:# def"],
    ["sh", 'echo "$#" $# # end', 'echo |s:"$#"| $# |c:# end'],
    ["sql", "SELECT 'it''s' FROM t -- x", "k:SELECT| |s:'it''s'| |k:FROM| t |c:-- x"],
    ["rust", "fn f<'a>(x: &'a str)", "k:fn| f<'a>(x: &'a |k:str|)"],
    ["json", '{"a": [1, true]}', '{|s:"a"|: [|n:1|, |k:true|]}'],
    ["go", "x := 'open", "x := |s:'open"],
    ["diff", "+added", "s:+added"],
    ["diff", "-gone", "r:-gone"],
    ["diff", " same", " same"],
    ["brainf", "const 1", "u:const 1"],
    ["", "const 1", "u:const 1"],
    ["__proto__", "const 1", "u:const 1"],
    ["ts", "für = 2", "für = |n:2"],
  ])("%s: %s", (label, line, shown) => {
    expect(show(label, line)).toEqual([shown]);
  });

  test("a comment or a string goes on in the next lines", () => {
    expect(show("ts", "a /* b", "const", "c */ if")).toEqual(["a |c:/* b", "c:const", "c:c */| |k:if"]);
    expect(show("js", "`a", "$1\\` `;", "let")).toEqual(["s:`a", "s:$1\\` `|;", "k:let"]);
    expect(show("py", "'''doc", "def", "''' def")).toEqual(["s:'''doc", "s:def", "s:'''| |k:def"]);
  });

  test("a line that grows changes nothing before it", () => {
    const code = new HighlightedCode("ts");
    code.line("/* open");
    expect(marked(code.beginning("still */ con"))).toBe("c:still */| con");
    expect(marked(code.beginning("still */ const"))).toBe("c:still */| |k:const");
    expect(marked(code.line("still"))).toBe("c:still");
  });
});

test("every character stays, in any language, also in a very long line", () => {
  const labels = ["ts", "py", "sh", "sql", "rust", "html", "lua", "yaml", "diff", "x"];
  const piece = fc.constantFrom(
    "/*",
    "*/",
    "`",
    '"',
    "'",
    "\\",
    "#",
    "--",
    "[[",
    "]]",
    '"""',
    " ",
    "a",
    "1",
    "é",
    "<!--",
    "😀",
  );
  fc.assert(
    fc.property(fc.constantFrom(...labels), fc.array(fc.array(piece)), (label, lines) => {
      const code = new HighlightedCode(label);
      for (const line of lines.map((pieces) => pieces.join(""))) {
        expect(
          code
            .beginning(line)
            .map(({ text }) => text)
            .join(""),
        ).toBe(line);
        expect(
          code
            .line(line)
            .map(({ text }) => text)
            .join(""),
        ).toBe(line);
      }
    }),
  );
  const long = "/*'\"`".repeat(50_000);
  expect(new HighlightedCode("ts").line(long).map(({ text }) => text)).toEqual([long]);
});
