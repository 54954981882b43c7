/** A screen is what the program drew last, whatever it drew before. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { screenOf } from "./screen.js";

const SIZE = { cols: 20, rows: 5 };

describe("the screen of a PTY", () => {
  it("is the lines of a program that only prints", async () => {
    expect(await screenOf("one\r\ntwo\r\n> ", SIZE)).toBe("one\ntwo\n>");
  });

  it("shows the last lines of a long output", async () => {
    const text = Array.from({ length: 50 }, (_, n) => `line ${n}`).join("\r\n");
    expect(await screenOf(text, SIZE)).toBe("line 45\nline 46\nline 47\nline 48\nline 49");
  });

  it("shows what is drawn over what was there", async () => {
    expect(await screenOf("10 %\r20 %\r100 %", SIZE)).toBe("100 %");
    expect(await screenOf("\u001b[2J\u001b[1;1Htop\u001b[5;1H:\u001b[7mEND\u001b[m", SIZE)).toBe(
      "top\n\n\n\n:END",
    );
  });

  it("shows the full-screen program while it runs, and what was there before once it has left", async () => {
    const full = "$ less a\r\n\u001b[?1049h\u001b[H\u001b[Jfirst page\r\n:";
    expect(await screenOf(full, SIZE)).toBe("first page\n:");
    expect(await screenOf(`${full}\u001b[?1049l$ `, SIZE)).toBe("$ less a\n$");
  });

  it("is never larger than the terminal, and has no escape sequences, whatever the program prints", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (text) => {
        const lines = (await screenOf(`${text}\u001b[`, SIZE)).split("\n");
        expect(lines.length).toBeLessThanOrEqual(SIZE.rows);
        expect(lines.join("")).not.toContain("\u001b");
      }),
      { numRuns: 100 },
    );
  });

  it("takes no more than a moment for sequences that repeat something without end", async () => {
    const sequences = ["b", "L", "M", "S", "T", "@", "P", "X", "I", "Z", " @", " A", "'}", "'~"];
    const text = sequences.map((final) => `\u001b[2147483647${final}`).join("a");
    expect(await screenOf(`x${text}\u001b[1;1Hend`, SIZE)).toMatch(/^end/);
  });

  describe("of a program that redraws its screen again and again, with a bounded cost", () => {
    const TALL = { cols: 8, rows: 200 };
    const [ESC, CSI] = ["\u001b", "\u001b["];
    /** From here on a line feed is a new line, also after a full reset: so it shows whether the beginning was drawn. */
    const NEW_LINES = `${CSI}20h`;
    const END = `${CSI}1;1H${CSI}Ja\nb`;
    const whole = { "full resets": `${ESC}c`, "alignment tests": `${ESC}#8`, "erased screens": `${CSI}J` };
    const columns = { "inserted columns": `${CSI}'}`, "deleted columns": `${CSI}'~` };
    const shifted = { "shifts left": `${CSI} @`, "shifts right": `${CSI} A`, erasures: `${CSI}?2J` };
    const lines = { "inserted lines": "L", "deleted lines": "M", "scrolling up": "S", "scrolling down": "T" };
    const screens = { "other screens": `${CSI}?1049h`, "main screens": `${CSI}?7;47l` };
    const each = {
      ...{ ...whole, ...columns, ...shifted, ...screens },
      ...Object.fromEntries(Object.entries(lines).map(([name, final]) => [name, `${CSI}200${final}`])),
    };

    it.each(Object.entries(each))("leaves out the beginning: %s", async (_, sequence) => {
      expect(await screenOf(`${NEW_LINES}${sequence.repeat(590)}${END}`, TALL)).toBe("a\nb");
      expect(await screenOf(`${NEW_LINES}${sequence.repeat(610)}${END}`, TALL)).toBe("a\n b");
    });

    it("counts no sequence that changes few rows, or that is never done", async () => {
      const few = ["2147483647L", "L", "M", "S", "T", "K", "?25h", "?25l", "m"]
        .map((final) => `${CSI}${final}`)
        .join("");
      expect(await screenOf(`${NEW_LINES}${few.repeat(610)}${END}`, TALL)).toBe("a\nb");
    });

    it("shows what was drawn last, however often it was drawn", async () => {
      const frame = (n: number) => `${ESC}c${CSI}2J${n}\r\nlast`;
      const text = Array.from({ length: 5_000 }, (_, n) => frame(n)).join("");
      expect(await screenOf(text, TALL)).toBe("4999\nlast");
    });
  });
});
