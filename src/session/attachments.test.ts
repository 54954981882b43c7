import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attachmentLine,
  readableText,
  type ToldAttachment,
  tellingText,
  untoldLines,
} from "./attachments.js";

const photo = { name: "photo.jpg", mediaType: "image/jpeg" };

describe("files in words", () => {
  it.each<[ToldAttachment, string]>([
    [photo, "[attached: photo.jpg (image/jpeg)]"],
    [{ name: "report.pdf" }, "[attached: report.pdf]"],
    [{ mediaType: "image/png" }, "[attached: file (image/png)]"],
    [{}, "[attached: file]"],
    [{ name: "\u001b[31ma\n# b\u202e.png", mediaType: "x\r\ny" }, "[attached: a # b.png (x y)]"],
    [{ name: "n".repeat(300) }, `[attached: ${"n".repeat(199)}…]`],
  ])("%j", (attachment, line) => {
    expect(attachmentLine(attachment)).toBe(line);
  });

  it("are told once for each file, also by a text that tells of them already", () => {
    const line = attachmentLine(photo);
    expect(tellingText("", [photo])).toBe(line);
    expect(tellingText("Look", [photo, photo])).toBe(`Look\n${line}\n${line}`);
    expect(untoldLines(`Look\n${line}`, [photo, photo])).toEqual([line]);
    expect(untoldLines(`Look ${line}`, [photo])).toEqual([line]);
  });

  it("are the same text when they are told again", () => {
    const text = fc.string({ unit: "binary" });
    const attachment = fc.record({ name: text, mediaType: text }, { requiredKeys: [] });
    fc.assert(
      fc.property(text, fc.array(attachment, { maxLength: 5 }), (content, attachments) => {
        const told = tellingText(content, attachments);
        expect(told.startsWith(content)).toBe(true);
        expect(tellingText(told, attachments)).toBe(told);
        expect(tellingText(told, [])).toBe(told);
      }),
    );
  });

  it("are read with the message that has them", () => {
    const attachments = [{ file: "0".repeat(32), ...photo }];
    expect(readableText({ role: "user", content: "Look", attachments })).toBe(
      "Look\n[attached: photo.jpg (image/jpeg)]",
    );
    expect(readableText({ role: "assistant", content: "Nice." })).toBe("Nice.");
  });
});
