/**
 * One config file, read and checked. Whatever is wrong is named with file, line and key, all of it at once; nothing
 * is guessed, and a key that is misspelt never passes for one that is absent.
 */
import { type Document, isMap, isScalar, isSeq, LineCounter, type YAMLMap } from "yaml";
import { fileReason } from "../util/file-problem.js";
import { withoutBlanks } from "./blanks.js";
import { configText } from "./config-text.js";
import { furtherBotsIn } from "./further-bots.js";
import type { Group } from "./groups.js";
import { childOf } from "./keys.js";
import { type Layer, leavesOf, NOTHING, type Tree } from "./layer.js";
import { mistakesIn } from "./mistakes.js";
import type { Problem, SettingPlace } from "./problem.js";
import { unknownEnvironment } from "./unknown-environment.js";
import { unknownTools } from "./unknown-tools.js";
import { parseYaml } from "./yaml.js";
import { fileSchema } from "./zod.js";

/** What a file says; nothing where there is none. */
export async function readConfigFile(file: string, schema: Group): Promise<Layer> {
  try {
    const text = await configText(file);
    return text === null ? NOTHING : checkText(text, file, schema);
  } catch (error) {
    const message = `it can't be read: ${fileReason(error)}.`;
    return withProblems([{ place: { file, line: null }, key: "", message }]);
  }
}

/** What this text says as the content of that file. */
export function checkText(text: string, file: string, schema: Group): Layer {
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  const placeAt = (offset: number): SettingPlace => ({ file, line: lines.linePos(offset).line });
  if (document.errors.length > 0) {
    return withProblems(
      document.errors.map(({ pos, message }) => ({
        place: placeAt(pos[0]),
        key: "",
        message: `${message}.`,
      })),
    );
  }
  let content: unknown;
  try {
    content = document.toJS() ?? {};
  } catch (error) {
    // Aliases that multiply beyond reason.
    return withProblems([{ place: { file, line: null }, key: "", message: `${(error as Error).message}.` }]);
  }
  const offsetOf = offsetsIn(document);
  const noBots = childOf(schema, "platforms") ? furtherBotsIn(content) : [];
  const { filled, blank } = withoutBlanks(content, schema);
  const parsed = fileSchema(schema).safeParse(filled);
  const others = parsed.success
    ? [...unknownTools(parsed.data), ...unknownEnvironment(parsed.data)]
    : mistakesIn(parsed.error, schema);
  const isSaid = (path: readonly string[]) => blank.some((one) => one.path.join(".") === path.join("."));
  // A bot that could not be registered is no known key either: that says no more.
  const mistakes = [
    ...noBots,
    ...blank,
    ...others.filter(({ path }) => !isSaid(path) && !noBots.some((bot) => bot.path[1] === path[1])),
  ];
  if (parsed.success && mistakes.length === 0) {
    const tree = parsed.data as Tree;
    const places = leavesOf(tree).map(({ path }) => [path.join("."), placeAt(offsetOf(path))] as const);
    return { content: tree, places: new Map(places), problems: [] };
  }
  return withProblems(
    mistakes.map(({ path, message }) => {
      const key = path.join(".");
      const place = placeAt(offsetOf(path));
      return { place, key, message: key === "" ? message : `${key}: ${message}` };
    }),
  );
}

function withProblems(problems: readonly Problem[]): Layer {
  return { ...NOTHING, problems };
}

/** Where in the text the key at a path stands; every group is gone through once. */
function offsetsIn(document: Document): (path: readonly string[]) => number {
  const pairs = new Map<unknown, ReadonlyMap<string, { key: unknown; value: unknown }>>();
  const pairIn = (map: YAMLMap, key: string) => {
    const known =
      pairs.get(map) ??
      new Map(map.items.map((item) => [isScalar(item.key) ? String(item.key.value) : "", item]));
    pairs.set(map, known);
    return known.get(key);
  };
  return (path) => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const key of path) {
      let at: unknown;
      if (isMap(node)) {
        const pair = pairIn(node, key);
        [at, node] = [pair?.key, pair?.value];
      } else {
        node = isSeq(node) ? node.items[Number(key)] : undefined;
        at = node;
      }
      offset = (isScalar(at) ? at.range?.[0] : undefined) ?? offset;
    }
    return offset;
  };
}
