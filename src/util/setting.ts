/**
 * A setting, declared once: what it means, what it takes, what holds if nobody sets it, which variable overrides it and
 * whether it is secret. The schema, the types, the resolved values, the list of secret variables, the questions of
 * `baton setup` and the documentation follow from the declaration. It is plain data: declaring a setting loads no parser.
 */
import type { Secret } from "./secret.js";

export interface Meaning {
  /** One sentence or more. */
  readonly description: string;
  /** The default in words, if it is not one value. */
  readonly fallback?: string;
  /** The variable that overrides it, if people know another name than the rule makes. */
  readonly variable?: string;
  /** Asked by `baton setup`. */
  readonly question?: Question;
}

export interface Question {
  readonly ask: string;
  /** What a right answer looks like. */
  readonly looks: RegExp;
  /** What to give, said to somebody whose answer does not look right. */
  readonly hint: string;
}

/** What a setting takes, and the sentence that refuses anything else. */
export type Takes =
  | {
      readonly is: "text";
      /** A whole number is taken too, as text. */
      readonly orNumber?: true;
      readonly error: string;
      readonly allows?: (text: string) => boolean;
    }
  | { readonly is: "url"; readonly error: string }
  | { readonly is: "whole"; readonly min: number; readonly max: number; readonly error: string }
  | { readonly is: "choice"; readonly options: readonly string[] }
  | { readonly is: "secret" };

export interface Setting<Value = unknown> extends Meaning {
  readonly takes: Takes;
  readonly default?: Value;
}

export type Settings = Readonly<Record<string, Setting>>;

/** What a setting resolves to; null if it has no default and nobody sets it. */
export type ValueOf<S> = S extends Setting<infer Value> ? Value : never;

/** The same as `ValueOf`, for each. */
export type ValuesOf<S extends Settings> = { readonly [Key in keyof S]: ValueOf<S[Key]> };

/** In a config file this is `{ file: path }`, in a variable the secret itself. */
export function secret<const M extends Meaning>(meaning: M): M & Setting<Secret | null> {
  return { fallback: "none", ...meaning, takes: { is: "secret" } };
}

const TEXT = { is: "text", orNumber: true, error: "give a text" } as const;

export function text<const M extends Meaning>(
  meaning: M,
  takes: Omit<Extract<Takes, { is: "text" }>, "is"> = TEXT,
): M & Setting<string | null> {
  return { fallback: "none", ...meaning, takes: { ...takes, is: "text" } };
}

/** A text that holds if nobody sets another. */
export function textOr(usual: string, meaning: Meaning): Setting<string> {
  return { ...meaning, default: usual, takes: TEXT };
}

/** An http or https address. */
export function address<const M extends Meaning>(meaning: M): M & Setting<string | null> {
  return {
    fallback: "none",
    ...meaning,
    takes: { is: "url", error: "give an http or https address" },
  };
}

export function choice<const Option extends string>(
  options: readonly Option[],
  usual: NoInfer<Option>,
  meaning: Meaning,
): Setting<Option> {
  return { ...meaning, default: usual, takes: { is: "choice", options } };
}

export function port(usual: number, meaning: Meaning): Setting<number> {
  const error = "use a port from 1 to 65535";
  return { ...meaning, default: usual, takes: { is: "whole", min: 1, max: 65_535, error } };
}

/** The variable that overrides the setting at this path: `agent.maxMessages` is `BATON_AGENT_MAX_MESSAGES`. */
export function variableOf(path: readonly string[], { variable }: Pick<Meaning, "variable"> = {}): string {
  const words = path.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return variable ?? ["BATON", ...words].join("_");
}
