/** Variables that begin as Baton's do and set nothing: mostly mistyped. Other programs may have theirs, so none is refused. */
import { nearest } from "../util/nearest.js";
import { isLikeVariable } from "./further-bots.js";
import { keysOf } from "./keys.js";
import { homeFile } from "./schema.js";

interface UnknownVariable {
  readonly variable: string;
  /** The nearest that sets something; null where none is near. */
  readonly meant: string | null;
}

export const SETS_NOTHING = "no setting has this variable, so Baton ignores it.";

export function unknownVariables(variables: Readonly<Record<string, string>>): UnknownVariable[] {
  const known = ["BATON_HOME", ...keysOf(homeFile).flatMap(({ variable }) => variable ?? [])];
  return Object.keys(variables)
    .filter((variable) => variable.startsWith("BATON_") && !known.includes(variable))
    .filter((variable) => !isLikeVariable(variable)) // Those that name nothing are refused.
    .sort()
    .map((variable) => ({ variable, meant: nearestOf(variable, known) }));
}

/** By what comes after `BATON_`: that all begin alike makes none of them near. */
function nearestOf(variable: string, known: readonly string[]): string | null {
  const rest = (name: string) => name.replace(/^BATON_/, "");
  const meant = nearest(rest(variable), known.map(rest));
  return known.find((name) => rest(name) === meant) ?? null;
}
