/** The text of a PDF, page by page, until there is enough of it. */

export async function readPdf(bytes: Uint8Array, most: number): Promise<string> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= document.numPages && length <= most; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    if (text.trim() === "") continue;
    pages.push(document.numPages > 1 ? `Page ${number}\n\n${text.trim()}` : text.trim());
    length += text.length;
  }
  return pages.join("\n\n");
}
