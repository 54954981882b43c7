/**
 * Changes one key of `config.yaml` in the home folder. What is around it stays: comments, order, other keys. The result
 * is checked before it is written; what is refused changes nothing.
 */
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  visit,
} from "yaml";
import { InputError } from "../session/errors.js";
import { configText } from "./config-text.js";
import { homePath } from "./files.js";
import { furtherBotsIn } from "./further-bots.js";
import type { Node as Declared } from "./groups.js";
import { childOf, keysOf } from "./keys.js";
import { treeAt } from "./layer.js";
import { mistakesIn, unknownKey } from "./mistakes.js";
import { invalidConfig } from "./problem.js";
import { checkText } from "./read-file.js";
import { rewriteFile } from "./rewrite-file.js";
import { homeFile } from "./schema.js";
import { parseYaml } from "./yaml.js";
import { fileSchema } from "./zod.js";

export interface SettingChange {
  readonly file: string;
  /** What the key is now; undefined where it was taken away. */
  readonly value: unknown;
  /** The variable that overrides the key, where there is such a variable. */
  readonly variable: string | null;
}

/** Sets a key to a value that is written as in the file: `UTC`, `5`, `[a, b]`, `{ mode: daily }`. */
export async function setKey(home: string, key: string, written: string): Promise<SettingChange> {
  const value = meantValue(key, written);
  knowFurtherBot(key, value);
  await writeKeys(home, new Map([[key, value]]), setValue);
  return { file: homePath(home), value, variable: variableFor(pathOf(key)) };
}

/** Takes a key away; null where the file does not have it. */
export async function unsetKey(home: string, key: string): Promise<SettingChange | null> {
  const path = pathOf(key);
  const file = homePath(home);
  if (!parseYaml((await configText(file)) ?? "").hasIn(path)) return null;
  await writeKeys(home, new Map([[key, undefined]]), setValue);
  return { file, value: undefined, variable: variableFor(path) };
}

/**
 * Sets all these keys in one step, or none where one is refused; undefined takes a key away. A key that was not there
 * gets a comment with its meaning, and a file that was not there one that says what it is.
 */
export async function setKeys(home: string, values: ReadonlyMap<string, unknown>): Promise<void> {
  const setExplained: WriteSetting = (document, path, value) => {
    const isNew = value !== undefined && !document.hasIn(path);
    setValue(document, path, value);
    if (isNew) explain(document, path);
  };
  await writeKeys(home, values, setExplained, HEADER);
}

const HEADER = "# Settings of Baton. Run `baton config show` to see every value and where it comes from.\n";

type WriteSetting = (document: Document, path: readonly string[], value: unknown) => void;

async function writeKeys(
  home: string,
  values: ReadonlyMap<string, unknown>,
  write: WriteSetting,
  fresh = "",
): Promise<void> {
  const changes = [...values].map(([key, value]) => ({ path: pathOf(key), value }));
  for (const { path, value } of changes) checkValue(path, value);
  const file = homePath(home);
  await rewriteFile(file, (text) =>
    edited(text ?? fresh, file, [...values.keys()], (document) => {
      for (const { path, value } of changes) write(document, path, value);
    }),
  );
}

function checkValue(path: readonly string[], value: unknown): void {
  const parsed = fileSchema(homeFile).safeParse(value === undefined ? {} : treeAt(path, value));
  if (parsed.success) return;
  // What a group lacks may stand in the file: that is looked at with the whole.
  const own = mistakesIn(parsed.error, homeFile).filter((mistake) =>
    path.every((name, depth) => mistake.path[depth] === name),
  );
  if (own.length > 0) throw refusal(own.map((mistake) => [mistake.path.join("."), mistake.message]));
}

function setValue(document: Document, path: readonly string[], value: unknown): void {
  if (value === undefined) {
    takeAway(document, path);
    return;
  }
  const nodeOf = (written: unknown): Node => {
    const node = document.createNode(written, { flow: true });
    visit(node, { Scalar: (_, scalar) => quoteDigits(scalar) });
    return node;
  };
  const list = document.getIn(path, true);
  if (isSeq(list) && Array.isArray(value) && beginsWith(value, list.toJSON())) {
    for (const item of value.slice(list.items.length)) list.add(nodeOf(item));
    return;
  }
  fillBlanks(document, path);
  const node = nodeOf(value);
  const { comment, commentBefore, spaceBefore } = nodeAt(document, path);
  document.setIn(path, Object.assign(node, { comment, commentBefore, spaceBefore }));
}

/** A section with nothing below it becomes one that can hold a key. Comments stay. */
function fillBlanks(document: Document, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth++) {
    const section = document.getIn(path.slice(0, depth), true);
    if (!isScalar(section) || section.value !== null) continue;
    const { comment, commentBefore, spaceBefore } = section;
    const map = Object.assign(document.createNode({}), { flow: false, commentBefore, spaceBefore });
    if (comment) map.commentBefore = [commentBefore, comment].filter(Boolean).join("\n");
    document.setIn(path.slice(0, depth), map);
  }
}

/** A list that only grows keeps what stands in it as it is written; an id may be a number there. */
function beginsWith(list: readonly unknown[], beginning: readonly unknown[]): boolean {
  return beginning.length > 0 && beginning.every((item, index) => String(item) === String(list[index]));
}

/** Groups that are empty then go too. */
function takeAway(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const group = document.getIn(path.slice(0, depth), true);
    if (isMap(group) && group.items.length === 0) document.deleteIn(path.slice(0, depth));
  }
}

/** What the key is for, above it. */
function explain(document: Document, path: readonly string[]): void {
  const name = path.join(".");
  const meaning = keysOf(homeFile).find((known) => known.path.join(".") === name)?.setting.description;
  const group = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const pair = isMap(group)
    ? group.items.find(({ key }) => (isScalar(key) ? key.value : key) === path.at(-1))
    : undefined;
  if (!meaning || !pair) return;
  pair.key = Object.assign(document.createNode(path.at(-1)), { commentBefore: ` ${meaning}` });
}

/** The text after an edit of these keys. Mistakes elsewhere in the file are told, not carried along. */
function edited(
  text: string,
  file: string,
  keys: readonly string[],
  edit: (document: Document) => void,
): string {
  const others = checkText(text, file, homeFile).problems.filter(
    (problem) => !keys.some((key) => problem.key === key || problem.key.startsWith(`${key}.`)),
  );
  if (others.length > 0) throw invalidConfig(others);
  const document = parseYaml(text);
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents.flow = false;
  detachHeader(document);
  edit(document);
  const after = document.toString({ lineWidth: 0 });
  const { problems } = checkText(after, file, homeFile);
  if (problems.length > 0) throw invalidConfig(problems);
  return after;
}

/** Comments that stand apart from the first key are about the file, and stay when that key goes. */
function detachHeader(document: Document): void {
  const first = isMap(document.contents) ? document.contents.items[0]?.key : undefined;
  if (!isScalar(first)) return;
  const [, header, own] = /^(.*)\n\n(.*)$/s.exec(first.commentBefore ?? "") ?? [];
  if (header === undefined) return;
  document.commentBefore = header;
  first.commentBefore = own;
}

/** `platforms.<name>.like` makes the key `platforms.<name>` one. */
function knowFurtherBot(key: string, value: unknown): void {
  const mistakes = furtherBotsIn(treeAt(key.split("."), value));
  if (mistakes.length > 0) throw refusal(mistakes.map(({ path, message }) => [path.join("."), message]));
}

/** The path of a dotted key. Where names are of the reader's choosing, the rest is one name, dots and all. */
function pathOf(key: string): string[] {
  const words = key.split(".");
  const path: string[] = [];
  let node: Declared = homeFile;
  while (words.length > 0) {
    path.push(endsInNames(node) ? words.splice(0).join(".") : (words.shift() ?? ""));
    const child = childOf(node, path.at(-1) ?? "");
    if (!child) throw refusal([[path.join("."), unknownKey(homeFile, path)]]);
    node = child;
  }
  return path;
}

/** Whether the names below are of the reader's choosing, and nothing stands below them. */
function endsInNames(node: Declared): boolean {
  return "each" in node && !("among" in node.names) && "takes" in node.of;
}

/** Plain words, quoted text and flow collections as YAML has them; anything else is the text itself. */
function meantValue(key: string, written: string): unknown {
  const document = parseYaml(written);
  const { contents, errors, warnings } = document;
  const flows = /^\s*[[{"']/.test(written);
  if (errors.length + warnings.length > 0) {
    if (flows)
      throw refusal([[key, `the value is not YAML. ${errors[0]?.message ?? warnings[0]?.message}.`]]);
    return written;
  }
  const whole = isScalar(contents) ? contents.type === "PLAIN" || flows : isCollection(contents) && flows;
  return whole ? document.toJS() : written;
}

/** Text that other readers of YAML would take for a number is quoted. */
function quoteDigits(scalar: Scalar): void {
  if (typeof scalar.value === "string" && Number.isFinite(Number(scalar.value))) scalar.type = "QUOTE_DOUBLE";
}

function nodeAt(document: Document, path: readonly string[]): Partial<Node> {
  const node = document.getIn(path, true);
  return isNode(node) ? node : {};
}

function variableFor(path: readonly string[]): string | null {
  const key = path.join(".");
  return keysOf(homeFile).find((known) => known.path.join(".") === key)?.variable ?? null;
}

function refusal(mistakes: readonly (readonly [key: string, message: string])[]): InputError {
  return new InputError("invalid_config", mistakes.map((mistake) => mistake.join(": ")).join("\n"));
}
