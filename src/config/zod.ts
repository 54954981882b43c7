/** What is declared, as schemas of zod: they check what is written, and make the JSON Schema. */
import { z } from "zod";
import { platforms } from "../session/platform.js";
import { SecretFile } from "../util/secret.js";
import type { Setting, Takes, TakesText } from "../util/setting.js";
import { orWords } from "../util/words.js";
import type { Each, Group, KeyNames, Node } from "./groups.js";

/** So many of the keys of a group are named. */
const MOST_NAMED = 12;

const built = new WeakMap<Group, { readonly schema: z.ZodObject; readonly platforms: number }>();

/** Made once a file, and again if more platforms are known: some of the keys are theirs. */
export function fileSchema(file: Group): z.ZodObject {
  const known = platforms().length;
  const before = built.get(file);
  if (before?.platforms === known) return before.schema;
  const schema = groupSchema(file);
  built.set(file, { schema, platforms: known });
  return schema;
}

export function settingSchema(setting: Setting): z.ZodType {
  const { description, fallback } = setting;
  const usual = fallback === undefined && setting.default !== undefined ? { default: setting.default } : {};
  return taking(setting.takes).meta({ description, ...usual });
}

function nodeSchema(node: Node): z.ZodType {
  if ("takes" in node) return settingSchema(node);
  return "each" in node ? eachSchema(node) : groupSchema(node);
}

function groupSchema({ children, refuse }: Group): z.ZodObject {
  const schemas = Object.entries(children()).map(([name, node]) => {
    const schema = nodeSchema(node);
    return [name, "isRequired" in node ? schema : schema.optional()];
  });
  const object = z.strictObject(Object.fromEntries(schemas), keysBelow(Object.keys(children())));
  return refuse ? object.superRefine((written, context) => refused(context, refuse(written))) : object;
}

function eachSchema({ names, of, refuse }: Each): z.ZodType {
  const value = nodeSchema(of);
  if ("among" in names) {
    const among = names.among();
    return z.strictObject(
      Object.fromEntries(among.map((name) => [name, value.optional()])),
      keysBelow(among),
    );
  }
  const record = z.record(nameSchema(names), value, "write names below it, each with its value");
  if (!refuse) return record;
  return record.superRefine((values, context) => {
    for (const [name, written] of Object.entries(values)) refused(context, refuse(name, written), [name]);
  });
}

/** For somebody who wrote a value where keys belong. */
function keysBelow(names: readonly string[]): {
  error: (issue: { readonly code?: string }) => string | undefined;
} {
  const some = names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), "…"] : names;
  return {
    error: ({ code }) =>
      code === "invalid_type" ? `write its keys below it: ${some.join(", ")}.` : undefined,
  };
}

function nameSchema(names: Exclude<KeyNames, { among: unknown }>) {
  if ("pattern" in names) return z.string().regex(names.pattern, names.error);
  return z.string().superRefine((name, context) => refused(context, names.refuse(name)));
}

function refused(context: z.RefinementCtx, message: string | null, path: string[] = []): void {
  if (message !== null) context.addIssue({ code: "custom", path, message });
}

function taking(takes: Takes): z.ZodType {
  switch (takes.is) {
    case "text":
      return textSchema(takes);
    case "number":
      return numberSchema(takes);
    case "flag":
      return z.boolean("use true or false");
    case "url":
      return z.url({ protocol: /^https?$/, error: takes.error });
    case "choice":
      return z.enum(takes.options, takes.error ?? `use ${orWords(takes.options)}`);
    case "secret":
      return secretSchema;
    case "list":
      return z.array(taking(takes.of), "write a list, such as [a, b]");
    case "either":
      return z.union(takes.of.map(taking), { error: takes.error });
    default:
      return takes satisfies never;
  }
}

function textSchema({ error, mayBeEmpty, orNumber, pattern, refuse, spell }: TakesText): z.ZodType {
  const plain = z.string(error ?? "give a text");
  const matching = pattern ? plain.regex(pattern, error) : mayBeEmpty ? plain : plain.min(1, error);
  const checked = refuse ? matching.superRefine((text, context) => refused(context, refuse(text))) : matching;
  if (orNumber) return z.union([checked, z.int(error)], error).transform(String);
  return spell ? checked.transform(spell) : checked;
}

function numberSchema({ isWhole, above, min, max, error }: Extract<Takes, { is: "number" }>): z.ZodType {
  let schema: z.ZodNumber = isWhole ? z.int(error) : z.number(error);
  if (above !== undefined) schema = schema.gt(above, error);
  if (min !== undefined) schema = schema.min(min, error);
  return max === undefined ? schema : schema.max(max, error);
}

const A_FILE = "give the path of a file";

/** A file of its own: a config file never holds the secret itself. `mistakes.ts` says it to whoever writes one there. */
const secretSchema = z
  .strictObject({ file: z.string(A_FILE).min(1, A_FILE) })
  .transform(({ file }) => new SecretFile(file));
