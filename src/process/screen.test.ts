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
});
