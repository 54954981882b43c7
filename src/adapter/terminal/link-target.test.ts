import { expect, test } from "vitest";
import { HOSTILE } from "../../../test/terminal/hostile.js";
import { clickable } from "./link-target.js";
import { MarkdownStream } from "./markdown-stream.js";
import { painter } from "./style.js";

const LINK = /\u001b\]8;;([!-~]*)\u001b\\/g;
const COLOUR = /\u001b\[[0-9;]*m/g;

test.each([
  ["https://example.org/a?b=c#d", "https://example.org/a?b=c#d"],
  ["HTTP://Example.org", "http://example.org/"],
  ["mailto:ann@example.org", "mailto:ann@example.org"],
  ["file:///tmp/a b.txt", "file:///tmp/a%20b.txt"],
  ["https://exämple.org/ü", "https://xn--exmple-cua.org/%C3%BC"],
  ["file://server/share", null],
  ["javascript:alert(1)", null],
  ["ssh://host", null],
  ["x-apple.systempreferences:", null],
  ["/relative", null],
  ["", null],
  [`https://example.org/${"a".repeat(3_000)}`, null],
])("%s leads to %s", (url, target) => {
  expect(clickable(url)).toBe(target);
});

function shown(markdown: string, links: boolean): string {
  const stream = new MarkdownStream();
  stream.push(markdown);
  return stream.end({ width: 200, color: true }).map(painter(true, links)).join("\n");
}

test("a link can be clicked where the terminal can, and its address is seen", () => {
  const text = "See [the docs](https://example.org/docs) and <https://example.org/>.";
  const clicked = shown(text, true);
  expect([...clicked.matchAll(LINK)].map(([, url]) => url)).toEqual([
    ...["https://example.org/docs", "", "https://example.org/", ""],
  ]);
  expect(clicked.replace(LINK, "")).toBe(shown(text, false));
  expect(shown(text, false).replace(COLOUR, "")).toBe(
    "See the docs (https://example.org/docs) and https://example.org/.",
  );
});

test("no hostile text gets into the sequence of a link, or out of it", () => {
  for (const text of HOSTILE) {
    const markdown = `[${text}](http://x/${text}) [a](<javascript:${text}>) <http://x/${text}>`;
    const rest = shown(markdown, true).replace(LINK, "").replace(COLOUR, "").replaceAll("\n", "");
    expect(rest).not.toMatch(/\p{Cc}/u);
  }
});
