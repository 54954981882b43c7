import fc from "fast-check";
import { expect, it } from "vitest";
import { layOut, rowsAround } from "./layout.js";

it("shows the same rows around the cursor as if all had been laid out", () => {
  const piece = fc.constantFrom("a", "word ", "日本", "👩‍👩‍👧", "\n", "\t", "some longer words ");
  const texts = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(
      texts,
      fc.nat(),
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: 1, max: 9 }),
      (text, at, width, room) => {
        const cursor = at % (text.length + 1);
        const whole = layOut({ text, cursor }, width);
        fc.pre(whole.row > 0 || whole.column > 0 || cursor === 0); // It stands between characters.
        const top = Math.max(0, Math.min(whole.row - (room >> 1), whole.lines.length - room));
        expect(rowsAround({ text, cursor }, width, room)).toEqual({
          lines: whole.lines.slice(top, top + room),
          row: whole.row - top,
          column: whole.column,
          isBeginning: top === 0,
        });
      },
    ),
    { examples: [["\t\na", 1, 2, 3]] },
  );
});
