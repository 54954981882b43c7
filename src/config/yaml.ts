/** YAML as config files have it: 1.2, with numbers only where they are written plainly. */
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  parseDocument,
  type ScalarTag,
  YAMLParseError,
} from "yaml";

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
  const document = parseDocument(text, {
    prettyErrors: false,
    uniqueKeys: false, // It would compare each key with every other one.
    customTags: (tags) => [
      ...tags.filter((tag) => typeof tag === "string" || !/:(?:int|float)$/.test(tag.tag)),
      plainNumber,
    ],
    ...(lineCounter ? { lineCounter } : {}),
  });
  document.errors.push(...wrongKeys(document));
  return document;
}

/** Keys that are there twice, and keys that are maps or lists: those in one another would be written out again and again. */
function wrongKeys({ contents }: Document): YAMLParseError[] {
  const errors: YAMLParseError[] = [];
  const open: unknown[] = [contents];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isPair(node)) open.push(node.value ?? null);
    else if (isSeq(node)) for (const item of node.items) open.push(item);
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const pair of node.items) {
      open.push(pair);
      const [start = 0, end = 0] = (isNode(pair.key) && pair.key.range) || [];
      if (isNode(pair.key) && !isScalar(pair.key))
        errors.push(new YAMLParseError([start, end], "UNEXPECTED_TOKEN", "Map keys must be plain text"));
      if (!isScalar(pair.key)) continue;
      if (keys.has(pair.key.value))
        errors.push(new YAMLParseError([start, end], "DUPLICATE_KEY", "Map keys must be unique"));
      keys.add(pair.key.value);
    }
  }
  return errors;
}
