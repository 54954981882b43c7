import fc from "fast-check";
import { expect, test } from "vitest";
import { OtherScreen } from "./other-screen.js";

function isOnAfter(...pieces: string[]): boolean {
  const screen = new OtherScreen();
  for (const piece of pieces) screen.push(piece);
  return screen.isOn;
}

test.each([
  ["plain text", "hello\r\n", false],
  ["less", "\u001b[?1049h\u001b[22;0;0t\u001b[?1hline", true],
  ["less, ended", "\u001b[?1049hline\r\u001b[?1049l", false],
  ["an older program", "\u001b[?47h", true],
  ["several modes at once", "\u001b[?25;1047h", true],
  ["other modes", "\u001b[?25h\u001b[?2004h\u001b[?10490h\u001b[1049h", false],
  ["a full reset", "\u001b[?1049h\u001bc", false],
])("knows the screen of %s", (_, output, isOn) => {
  expect(isOnAfter(output)).toBe(isOn);
});

test("is the same in whatever pieces the output comes", () => {
  const part = fc.constantFrom("\u001b", "[", "?", "1049", "47", ";", "h", "l", "c", "text");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      expect(isOnAfter(...parts)).toBe(isOnAfter(parts.join("")));
    }),
    { numRuns: 5_000 },
  );
});
