import { expect, it } from "vitest";
import { pictureSequence } from "./picture.js";

const ROOM = { columns: 80, rows: 15 };

function png(width: number, height: number, length = 30): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

it("is its Base64, in pieces that kitty takes, and kitty does not answer", () => {
  const bytes = png(400, 100, 5_000);
  const shown = pictureSequence(bytes, "image/png", "kitty", ROOM) ?? "";
  const pieces = shown.split("\u001b\\").slice(0, -1);
  expect(pieces.map((piece) => piece.split(";")[0])).toEqual([
    "\u001b_Ga=T,f=100,q=2,r=5,m=1",
    "\u001b_Gm=0",
  ]);
  expect(pieces.map((piece) => piece.split(";")[1]).join("")).toBe(bytes.toString("base64"));
});

it("is one sequence for iTerm2, of every kind that it shows", () => {
  expect(pictureSequence(Buffer.from("x"), "image/jpeg", "iterm2", ROOM)).toBe(
    "\u001b]1337;File=inline=1;size=1;height=15;preserveAspectRatio=1:eA==\u0007",
  );
});

it("is as high as it is, but no higher and no wider than the room", () => {
  const rows = (width: number, height: number) =>
    Number(/r=(\d+)/.exec(pictureSequence(png(width, height), "image/png", "kitty", ROOM) ?? "")?.[1]);
  expect(rows(100, 40)).toBe(2);
  expect(rows(100, 4_000)).toBe(15);
  expect(rows(8_000, 400)).toBe(2);
  expect(rows(0, 0)).toBe(1);
});

it("is nothing if the terminal cannot show it", () => {
  expect(pictureSequence(png(1, 1), "image/png", undefined, ROOM)).toBeNull();
  expect(pictureSequence(png(1, 1), "image/jpeg", "kitty", ROOM)).toBeNull();
  expect(pictureSequence(Buffer.from("<svg/>"), "image/svg+xml", "iterm2", ROOM)).toBeNull();
  expect(pictureSequence(Buffer.alloc(5 * 1024 * 1024), "image/png", "kitty", ROOM)).toBeNull();
});
