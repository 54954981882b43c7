/** The variables that override single keys, read and checked like a file. */
import { z } from "zod";
import { type ConfigKey, keysOf } from "./keys.js";
import { type Layer, layered, NOTHING, treeAt } from "./layer.js";
import { mistakesIn } from "./mistakes.js";
import { homeFile } from "./schema.js";

export function readVariables(variables: Readonly<Record<string, string>>): Layer {
  return keysOf(homeFile)
    .map((key) => readVariable(key, variables))
    .reduce(layered, NOTHING);
}

function readVariable(
  { path, schema, meta, variable }: ConfigKey,
  variables: Readonly<Record<string, string>>,
): Layer {
  const text = variable === null ? undefined : variables[variable];
  if (variable === null || text === undefined) return NOTHING;
  const key = path.join(".");
  const place = { variable };
  const taken = (value: unknown): Layer => ({
    content: treeAt(path, value),
    places: new Map([[key, place]]),
    problems: [],
  });
  if (meta.secret) return taken(text);
  const parsed = schema.safeParse(typed(text, schema));
  if (parsed.success) return taken(parsed.data);
  const mistakes = mistakesIn(parsed.error, homeFile, path);
  return { ...NOTHING, problems: mistakes.map(({ message }) => ({ place, key, message })) };
}

/** What the text stands for, as far as the key takes anything but text. */
function typed(text: string, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodNumber && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (schema instanceof z.ZodBoolean && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}
