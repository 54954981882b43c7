/**
 * One config file, read and checked. Whatever is wrong is named with file, line and key, all of it at once; nothing
 * is guessed, and a key that is misspelt never passes for one that is absent.
 */
import { readFile } from "node:fs/promises";
import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { InputError } from "../session/errors.js";
import { didYouMean } from "../util/nearest.js";
import { homeFile, projectFile } from "./schema.js";

type Path = readonly PropertyKey[];

/** The checked content of a file; null where there is none. */
export async function readConfigFile<Schema extends z.ZodObject>(
  path: string,
  schema: Schema,
): Promise<z.infer<Schema> | null> {
  const text = await textOf(path);
  if (text === null) return null;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    refuse(document.errors.map((error) => `${path}:${lineAt(error.pos[0])}: ${error.message}.`));
  }
  const parsed = schema.safeParse(contentOf(document, path));
  if (parsed.success) return parsed.data;
  refuse(
    parsed.error.issues.flatMap((issue) =>
      problemsOf(issue, schema).map(
        ({ at, text }) => `${path}:${lineAt(placeOf(document, at))}: ${sentence(text)}`,
      ),
    ),
  );
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new InputError("invalid_config", `${path} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

function contentOf(document: Document, path: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    return refuse([`${path}: ${(error as Error).message}.`]); // Aliases that multiply beyond reason.
  }
}

function refuse(problems: readonly string[]): never {
  throw new InputError("invalid_config", problems.join("\n"));
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodObject): { at: Path; text: string }[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      at: [...issue.path, key],
      text: unknownKey([...issue.path, key], schema),
    }));
  }
  const key = issue.path.join(".");
  if (key === "") return [{ at: [], text: "a config file is a list of `key: value` lines" }];
  return [
    { at: issue.path, text: issue.message.startsWith(key) ? issue.message : `${key}: ${issue.message}` },
  ];
}

function unknownKey(path: Path, schema: z.ZodObject): string {
  const key = path.join(".");
  const name = String(path.at(-1));
  if (schema === projectFile && path.length === 1 && Object.hasOwn(homeFile.shape, name)) {
    return `${key}: a project's file does not decide where conversations go. Set it in config.yaml of the home folder`;
  }
  const known = keysAt(schema, path.slice(0, -1));
  return `${key}: unknown key.${didYouMean(name, known) || ` Known here: ${known.join(", ")}.`}`;
}

/** The keys that the schema knows at this place. */
function keysAt(schema: z.ZodObject, path: Path): string[] {
  let place: unknown = schema;
  for (const key of path) {
    const inner = (place as z.ZodObject).shape[String(key)];
    place = inner instanceof z.ZodOptional ? inner.unwrap() : inner;
  }
  return Object.keys((place as z.ZodObject).shape);
}

/** Where in the text the key at this path stands. */
function placeOf(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let place = 0;
  for (const key of path) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined;
    if (!pair) break;
    place = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? place;
    node = pair.value;
  }
  return place;
}

function sentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}
