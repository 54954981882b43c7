import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { minimalPdf } from "../../test/support/documents.js";
import { readDocument } from "./document.js";

const read = async (bytes: Uint8Array | string, most = 1_000) => {
  const answer = await readDocument(typeof bytes === "string" ? Buffer.from(bytes) : bytes, most);
  return answer.kind === "text" ? answer.text : `none: ${answer.reason}`;
};
const zipped = (files: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

describe("what a document says", () => {
  it("is a text as it is, in the encodings that people send", async () => {
    expect(await read("naïve\r\nsecond")).toBe("naïve\nsecond");
    expect(await read(Buffer.from("\ufeffwide ✓", "utf16le"))).toBe("wide ✓");
    expect(await read(Buffer.from("caf\u00e9;1", "latin1"))).toBe("café;1");
    expect(await read("")).toBe("none: there is no text in it");
    expect(await read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]))).toBe("none: it is not a document");
  });

  it("is cut after so many characters, also within a wide one", async () => {
    const answer = await readDocument(Buffer.from("ä".repeat(100)), 10);
    expect(answer).toMatchObject({ kind: "text", isCut: true });
    expect(answer.kind === "text" && answer.text).toBe(`${"ä".repeat(9)}…`);
    expect(await readDocument(Buffer.from("ä".repeat(10)), 10)).toMatchObject({ isCut: false });
  });

  it("is the text of a PDF, by pages", async () => {
    expect(await read(minimalPdf(["Hello PDF"]))).toBe("Hello PDF");
    expect(await read(minimalPdf(["first", "second"]))).toBe("Page 1\n\nfirst\n\nPage 2\n\nsecond");
    expect(await read("%PDF-1.7 and nothing else")).toMatch(/^none: /);
  });

  it("is the text of a Word document, with its lists and tables", async () => {
    const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const cell = (text: string) => `<w:tc>${p(text)}</w:tc>`;
    const body = `${p("Dear &amp; near")}<w:tbl><w:tr>${cell("a")}${cell("b")}</w:tr></w:tbl>${p("end")}`;
    const text = await read(
      zipped({
        "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
        "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
        "word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
      }),
    );
    expect(text.split(/\s*\n\s*/)[0]).toBe("Dear & near");
    expect(text).toMatch(/\ba\b[^\n]*\bb\b/);
    expect(text.endsWith("end")).toBe(true);
  });

  it("is the rows of a workbook, the slides of a presentation, and the lines of OpenDocument", async () => {
    const workbook = zipped({
      "xl/workbook.xml": `<workbook><sheets><sheet name="Costs" sheetId="1"/></sheets></workbook>`,
      "xl/sharedStrings.xml": "<sst><si><t>rent</t></si><si><r><t>fo</t></r><r><t>od</t></r></si></sst>",
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>700</v></c></row><row><c r="A2" t="s"><v>1</v></c><c r="B2" t="inlineStr"><is><t>x</t></is></c></row></sheetData></worksheet>`,
    });
    expect(await read(workbook)).toBe("Sheet Costs\n\nrent\t\t700\nfood\tx");
    const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
    const slides = zipped({
      "ppt/slides/slide10.xml": slide("ten"),
      "ppt/slides/slide2.xml": slide("two"),
    });
    expect(await read(slides)).toBe("Slide 2\n\ntwo\n\nSlide 10\n\nten");
    const open = zipped({
      mimetype: "application/vnd.oasis.opendocument.text",
      "content.xml": `<office:document-content><office:automatic-styles><x>no</x></office:automatic-styles><text:h>Title</text:h><text:p>one<text:tab/>two</text:p><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></office:document-content>`,
    });
    expect(await read(open)).toBe("Title\none\ttwo\na\tb");
    expect(await read(zipped({ "a.txt": "x" }))).toBe("none: it is not a document");
  });

  it("unpacks no more than it has room for", async () => {
    const bomb = zipSync({ "word/document.xml": new Uint8Array(65 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(200_000);
    expect(await read(bomb)).toBe("none: it is not a document");
  });
});
