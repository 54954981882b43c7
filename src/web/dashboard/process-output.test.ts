import fc from "fast-check";
import { expect, it } from "vitest";
import { Redactor } from "../../util/redact.js";
import { shownAfter } from "./process-output.js";

const SECRET = "correct-horse-battery-staple";
const redactor = new Redactor();
redactor.know(() => [SECRET]);
const { redact } = redactor;
const asItIs = (text: string): string => text;

/** All that is shown of a text that comes in two parts. */
function shown(text: string, at: number, hide = redact): string {
  return shownAfter("", text.slice(0, at), hide) + shownAfter(text.slice(0, at), text.slice(at), hide);
}

it("shows what the second part adds", () => {
  expect(shownAfter("one\n", "two\n", redact)).toBe("two\n");
  expect(shownAfter("", "a\u001b[31mred\u001b[0m\tb\u0000", redact)).toBe("ared\tb");
});

it("hides a secret that two parts share, wherever they part", () => {
  const text = `the password is ${SECRET}, keep it`;
  for (let at = 1; at < text.length; at++) {
    const second = shownAfter(text.slice(0, at), text.slice(at), redact);
    expect("the password is ***, keep it".endsWith(second), second).toBe(true);
    if (at < text.indexOf(",")) expect(second.endsWith("***, keep it")).toBe(true);
  }
});

it("shows no part of an escape sequence that two parts share", () => {
  const text = "a \u001b[1;31mred\u001b[0m \u001b]0;a title\u0007and \u001b]8;;http://x\u001b\\more";
  for (let at = 0; at <= text.length; at++) expect(shown(text, at)).toBe("a red and more");
});

it("shows the same whole, wherever a text without secrets and sequences parts", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "\t", "ü", "🎵", "<") });
  fc.assert(
    fc.property(text, fc.nat(), (whole, place) => {
      const [...characters] = whole;
      const at = characters.slice(0, place % (characters.length + 1)).join("").length;
      expect(shown(whole, at, asItIs)).toBe(whole);
    }),
  );
});
