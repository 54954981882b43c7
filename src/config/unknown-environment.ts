/** The environment for commands must be one that is set up: a misspelt one would run nothing. */
import { THIS_MACHINE } from "../util/command-environment.js";
import { didYouMean } from "../util/nearest.js";
import type { Mistake } from "./mistakes.js";
import type { HomeFile } from "./schema.js";

/** `content` is a file that the schema has taken. */
export function unknownEnvironment(content: unknown): Mistake[] {
  const { tools, environments = {} } = content as HomeFile;
  const name = tools?.terminal?.environment ?? THIS_MACHINE;
  const known = [THIS_MACHINE, ...Object.keys(environments)];
  if (known.includes(name)) return [];
  const path = ["tools", "terminal", "environment"];
  const hint = didYouMean(name, known) || ` Known here: ${known.join(", ")}.`;
  return [{ path, message: `unknown environment "${name}".${hint}` }];
}
