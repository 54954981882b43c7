/** A contact as apps pass it on: a vCard, of which the name and the ways to reach somebody are read. Linear. */
import { contactPart, type Part } from "../../session/parts.js";

const LONGEST = 20_000;
const WAYS = new Set(["TEL", "EMAIL", "URL"]);

export function vcardPart(vcard: string, shownName?: string): Part {
  const lines = vcard.slice(0, LONGEST).split(/\r?\n/).map(readLine);
  const name = shownName || lines.find(({ name: property }) => property === "FN")?.value;
  const org = lines.find(({ name: property }) => property === "ORG")?.value;
  const ways = lines.filter(({ name: property }) => WAYS.has(property)).map(({ value }) => value);
  return contactPart(name, [...new Set([...(org && org !== name ? [org] : []), ...ways])]);
}

/** `item1.TEL;type=CELL;waid=15551234567:+1 555 123 4567` */
function readLine(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(":");
  const property = line.slice(0, Math.max(colon, 0)).split(";")[0] ?? "";
  const name = property.slice(property.lastIndexOf(".") + 1).toUpperCase();
  // What has several fields, such as a company and its department, has semicolons between them.
  const fields = line
    .slice(colon + 1)
    .replaceAll("\\;", " ")
    .split(";");
  const value = fields.filter((each) => each !== "").join(" ");
  return { name, value: value.replaceAll("\\n", " ").replaceAll("\\,", ",").trim() };
}
