/** The variables that override single keys, read and checked like a file. */
import { isSecret, type Takes } from "../util/setting.js";
import { type ConfigKey, keysOf } from "./keys.js";
import { type Layer, layered, NOTHING, treeAt } from "./layer.js";
import { mistakesIn } from "./mistakes.js";
import { homeFile } from "./schema.js";
import { settingSchema } from "./zod.js";

export function readVariables(variables: Readonly<Record<string, string>>): Layer {
  return keysOf(homeFile)
    .map((key) => readVariable(key, variables))
    .reduce(layered, NOTHING);
}

function readVariable(
  { path, setting, variable }: ConfigKey,
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
  if (isSecret(setting)) return taken(text);
  const parsed = settingSchema(setting).safeParse(typed(text, setting.takes));
  if (parsed.success) return taken(parsed.data);
  const mistakes = mistakesIn(parsed.error, homeFile, path);
  return { ...NOTHING, problems: mistakes.map(({ message }) => ({ place, key, message })) };
}

/** What the text stands for, as far as the key takes anything but text. */
function typed(text: string, takes: Takes): unknown {
  if (takes.is === "either") {
    return takes.of.map((one) => typed(text, one)).find((value) => value !== text) ?? text;
  }
  if (takes.is === "number" && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (takes.is === "flag" && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}
