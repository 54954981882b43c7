import { expect, it } from "vitest";
import { mediaTypeOf, mediaTypeOfName } from "./media-type.js";

const latin1 = (text: string) => Buffer.from(text, "latin1");

it("knows a file by its name", () => {
  expect(mediaTypeOfName("Notes.MD")).toBe("text/markdown");
  expect(mediaTypeOfName("archive.tar.gz")).toBe("application/gzip");
  for (const name of ["", "png", ".", "a.constructor", "a.unheardof"])
    expect(mediaTypeOfName(name)).toBe("application/octet-stream");
});

it("believes how a file begins before its name", () => {
  expect(mediaTypeOf("chart", latin1("\x89PNG\r\n\x1a\n..."))).toBe("image/png");
  expect(mediaTypeOf("chart.txt", latin1("\xff\xd8\xff\xe0"))).toBe("image/jpeg");
  expect(mediaTypeOf("a.bin", latin1("RIFF1234WEBPVP8 "))).toBe("image/webp");
  expect(mediaTypeOf("a.bin", latin1("\0\0\0 ftypisom"))).toBe("video/mp4");
  expect(mediaTypeOf("chart.png", latin1("not a picture"))).toBe("application/octet-stream");
  expect(mediaTypeOf("table.csv", latin1("a,b"))).toBe("text/csv");
  expect(mediaTypeOf("empty.pdf", new Uint8Array())).toBe("application/octet-stream");
});
