/** Documents made here: small, and valid for every reader. */

/** A PDF with one page for each text. */
export function minimalPdf(pages: readonly string[]): Uint8Array {
  const kids = pages.map((_, n) => `${4 + 2 * n} 0 R`).join(" ");
  const objects = [
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
    `2 0 obj<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>endobj`,
    "3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj",
    ...pages.flatMap((text, n) => {
      const stream = `BT /F1 24 Tf 20 100 Td (${text}) Tj ET`;
      const page = `/Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents ${5 + 2 * n} 0 R`;
      return [
        `${4 + 2 * n} 0 obj<<${page}/Resources<</Font<</F1 3 0 R>>>>>>endobj`,
        `${5 + 2 * n} 0 obj<</Length ${stream.length}>>stream\n${stream}\nendstream endobj`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object) => {
    const place = text.length;
    text += `${object}\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const start = text.length;
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  text += `${table}trailer<</Root 1 0 R/Size ${objects.length + 1}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}
