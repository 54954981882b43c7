import { describe, expect, it } from "vitest";
import { postLength, toPlain, toPost } from "./format.js";
import { LIMITS } from "./limits.js";

const linesOf = (markdown: string) => toPost(markdown).zh_cn.content;

describe("Markdown as a rich text", () => {
  it("has styles, links and blocks of code as nodes", () => {
    expect(linesOf("**bold *both*** ~~old~~ `run`")).toEqual([
      [
        { tag: "text", text: "bold ", style: ["bold"] },
        { tag: "text", text: "both", style: ["bold", "italic"] },
        { tag: "text", text: " " },
        { tag: "text", text: "old", style: ["lineThrough"] },
        { tag: "text", text: " `run`" },
      ],
    ]);
    expect(linesOf("[notes](<https://example.org/a b>)\n\n```ts\nconst a = 1;\n\nb();\n```")).toEqual([
      [{ tag: "a", text: "notes", href: "https://example.org/a%20b" }],
      [{ tag: "text", text: " " }],
      [{ tag: "code_block", language: "ts", text: "const a = 1;\n\nb();" }],
    ]);
  });

  it("writes a link out that Feishu would refuse, with where it leads", () => {
    expect(linesOf("[the adapter](src/a.ts), [mail](mailto:a@example.org), [odd](https://)")).toEqual([
      [{ tag: "text", text: "the adapter (src/a.ts), mail (mailto:a@example.org), odd (https://)" }],
    ]);
  });

  it("names nobody, whatever stands there", () => {
    const hostile = '<at user_id="all"></at> <AT id=all> @all @_user_1 `<at user_id="all">`';
    const nodes = linesOf(`${hostile}\n\n\`\`\`\n${hostile}\n\`\`\``).flat();
    expect(nodes.map(({ tag }) => tag)).toEqual(["text", "text", "code_block"]);
    expect(JSON.stringify(nodes)).not.toMatch(/<\/?at\b/i);
  });

  it("is never empty", () => {
    expect(linesOf("")).toEqual([[{ tag: "text", text: "…" }]]);
    expect(toPlain("   ")).toBe("…");
  });

  it("quotes and lists with signs, and leaves code in them as it is", () => {
    const lines = linesOf("> said\n> ```\n> code\n> ```\n\n1. one\n   - two").map((line) =>
      line.map((node) => ("text" in node ? node.text : "")).join(""),
    );
    expect(lines).toEqual(["> said", "> ", "code", " ", "1. one", "   • two"]);
  });

  it("loses its styles, and not its words, where they would be too long for a call", () => {
    const marked = Array<string>(60).fill("**a** b ".repeat(12).trim()).join("\n\n");
    const text = Array<string>(60).fill("a b ".repeat(12).trim()).join("\n\n");
    expect(toPost(marked).zh_cn.content).toEqual([[{ tag: "text", text }]]);
    expect(postLength(marked)).toBeGreaterThan(LIMITS.maxText); // The gateway splits such a text before.
  });

  it("is as long as its bytes if it is plain, and longer with styles", () => {
    expect(postLength("x".repeat(1_000))).toBe(1_000);
    expect(postLength("日本語")).toBe(9);
    expect(postLength("**x**")).toBeGreaterThan(1);
  });

  it("is plain in a card, with where links lead", () => {
    expect(toPlain("**May I** run [this](https://example.org/)?\n\n```sh\nrm -rf x\n```")).toBe(
      "May I run this (https://example.org/)?\n\nrm -rf x",
    );
  });
});
