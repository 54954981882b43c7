import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedOutput } from "./bounded-output.js";

const same = (text: string) => text;

function bounded(max: number, pieces: readonly string[]): string {
  const output = new BoundedOutput(max);
  for (const piece of pieces) output.add(piece);
  return output.text(same);
}

describe("bounded output", () => {
  it("is all of it where it fits", () => {
    expect(bounded(10, ["01234", "56789"])).toBe("0123456789");
    expect(bounded(10, [])).toBe("");
  });

  it("is the beginning and the end of what does not, and says what is missing", () => {
    expect(bounded(4, ["0123456789"])).toBe("01\n… 6 characters not shown …\n89");
  });

  it("is not cut inside a character", () => {
    expect(bounded(6, ["ab😀cdefg😀yz"])).toBe("ab\n… 9 characters not shown …\nyz");
  });

  it("is the same however it comes in, well-formed, and counts every character", () => {
    const character = fc.oneof(
      fc.constantFrom("a", "\n", "é", "😀"),
      fc.string({ unit: "grapheme", maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(character, { maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (pieces, max) => {
        const whole = pieces.join("");
        const kept = bounded(max, pieces);
        expect(kept).toBe(bounded(max, [whole]));
        expect(kept.isWellFormed()).toBe(true);
        const cut = /^([\s\S]*)\n… (\d+) characters not shown …\n([\s\S]*)$/.exec(kept);
        const [, head = whole, missing = 0, tail = ""] = cut ?? [];
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThanOrEqual(max);
        expect(head.length + Number(missing) + tail.length).toBe(whole.length);
      }),
    );
  });
});
