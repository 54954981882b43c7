/** YAML as config files have it: 1.2, with numbers only where they are written plainly. */
import { type Document, type LineCounter, parseDocument, type ScalarTag } from "yaml";

/** `0123`, `1e3`, `0x10` and `1.0` stay text: a user's id that looks like that must not become somebody else's. */
const plainNumber: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number",
  test: /^-?(?:0|[1-9]\d*)(?:\.(?=0*[1-9])\d+)?$/,
  resolve: Number,
  stringify: ({ value }) => String(value),
};

export function parseYaml(text: string, lineCounter?: LineCounter): Document {
  return parseDocument(text, {
    prettyErrors: false,
    customTags: (tags) => [
      ...tags.filter((tag) => typeof tag === "string" || !/:(?:int|float)$/.test(tag.tag)),
      plainNumber,
    ],
    ...(lineCounter ? { lineCounter } : {}),
  });
}
