import { encode } from "uqr";
import { expect, it } from "vitest";
import { qrLines } from "./qr.js";

it("draws every module of the code, two rows a line", () => {
  const content = `2@${"ref".repeat(30)},${"k".repeat(132)}`;
  const { data } = encode(content, { border: 2 });
  const isWhite = { "█": [true, true], "▀": [true, false], "▄": [false, true], " ": [false, false] };
  const drawn = qrLines(content).flatMap((line) => {
    const pairs = [...line].map((mark) => isWhite[mark as keyof typeof isWhite]);
    return [0, 1].map((half) => pairs.map((pair) => !pair[half]));
  });
  expect(drawn.slice(0, data.length)).toEqual(data);
});
