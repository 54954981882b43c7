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
  /** Of a choice: what each option means. Nobody has to answer it. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of a choice: the option that holds if none is set. */
  readonly usual?: (answers: Readonly<Record<string, string>>) => string;
  /** It is asked and needed only if this is true of the other answers, by the names of their settings. */
  readonly when?: (answers: Readonly<Record<string, string>>) => boolean;
}

export interface Setting<Value = unknown> extends Meaning {
  readonly takes: Takes;
  readonly default?: Value;
  /** Whoever sets something beside it sets this too. */
  readonly isRequired?: true;
  /** From what is written to what holds. `folder` is where relative paths count from. */
  readonly resolve?: (written: never, folder: string) => Value;
}

/** What a setting takes, and the sentence that refuses anything else. */
export type Takes =
  | TakesText
  | {
      readonly is: "number";
      readonly isWhole?: true;
      readonly above?: number;
      readonly min?: number;
      readonly max?: number;
      readonly error: string;
    }
  | { readonly is: "flag" }
  | { readonly is: "url"; readonly error: string }
  | { readonly is: "choice"; readonly options: readonly string[]; readonly error?: string }
  /** In a config file this is `{ file: path }`, in a variable the secret itself. */
  | { readonly is: "secret" }
  | { readonly is: "list"; readonly of: Takes }
  | { readonly is: "either"; readonly of: readonly Takes[]; readonly error: string };

export interface TakesText {
  readonly is: "text";
  readonly error?: string;
  readonly mayBeEmpty?: true;
  /** A whole number is taken too, as text. */
  readonly orNumber?: true;
  readonly pattern?: RegExp;
  /** Why this text is refused; null if it is not. */
  readonly refuse?: (text: string) => string | null;
  /** The one spelling of a text that was taken. */
  readonly spell?: (text: string) => string;
}

export type Settings = Readonly<Record<string, Setting>>;

export function secret<const M extends Meaning>(meaning: M): M & Setting<Secret | null> {
  return { fallback: "none", ...meaning, takes: { is: "secret" } };
}

const TEXT: TakesText = { is: "text", orNumber: true, error: "give a text" };

export function text<const M extends Meaning>(
  meaning: M,
  takes: Omit<TakesText, "is"> = TEXT,
): M & Setting<string | null> {
  return { fallback: "none", ...meaning, takes: { ...takes, is: "text" } };
}

/** A text that holds if nobody sets another. */
export function textOr(
  usual: string,
  meaning: Meaning,
  takes: Omit<TakesText, "is"> = TEXT,
): Setting<string> {
  return { ...meaning, default: usual, takes: { ...takes, is: "text" } };
}

/** An http or https address. */
export function address<const M extends Meaning>(meaning: M): M & Setting<string | null> {
  return { fallback: "none", ...meaning, takes: { is: "url", error: "give an http or https address" } };
}

/** One of these; without a usual one, none holds if nobody chooses. */
export function choice<const Option extends string>(
  options: readonly Option[],
  usual: NoInfer<Option>,
  meaning: Meaning,
  error?: string,
): Setting<Option>;
export function choice<const Option extends string>(
  options: readonly Option[],
  usual: null,
  meaning: Meaning,
  error?: string,
): Setting<Option | null>;
export function choice(
  options: readonly string[],
  usual: string | null,
  meaning: Meaning,
  error?: string,
): Setting<string | null> {
  const takes = { is: "choice", options, ...(error && { error }) } as const;
  return { ...meaning, ...(usual !== null && { default: usual }), takes };
}

type NumberRange = Omit<Extract<Takes, { is: "number" }>, "is">;

export function number(usual: number, meaning: Meaning, range: NumberRange): Setting<number>;
export function number(usual: null, meaning: Meaning, range: NumberRange): Setting<number | null>;
export function number(usual: number | null, meaning: Meaning, range: NumberRange): Setting<number | null> {
  return { ...meaning, ...(usual !== null && { default: usual }), takes: { ...range, is: "number" } };
}

export function port(usual: number, meaning: Meaning): Setting<number> {
  const error = "use a port from 1 to 65535";
  return number(usual, meaning, { isWhole: true, min: 1, max: 65_535, error });
}

export function flag(usual: boolean, meaning: Meaning): Setting<boolean> {
  return { ...meaning, default: usual, takes: { is: "flag" } };
}

export function list(usual: readonly string[], meaning: Meaning, of: Takes): Setting<readonly string[]>;
export function list(usual: null, meaning: Meaning, of: Takes): Setting<readonly string[] | null>;
export function list(
  usual: readonly string[] | null,
  meaning: Meaning,
  of: Takes,
): Setting<readonly string[] | null> {
  return { ...meaning, ...(usual !== null && { default: usual }), takes: { is: "list", of } };
}

/** Whether it may hold a secret. */
export function isSecret({ takes }: Setting): boolean {
  return takes.is === "secret" || (takes.is === "either" && takes.of.some(({ is }) => is === "secret"));
}

/** The variable that overrides the setting at this path: `agent.maxMessages` is `BATON_AGENT_MAX_MESSAGES`. */
export function variableOf(path: readonly string[], { variable }: Pick<Meaning, "variable"> = {}): string {
  const words = path.map((name) =>
    name
      .replace(/[A-Z]/g, (letter) => `_${letter}`)
      .replaceAll("-", "_")
      .toUpperCase(),
  );
  return variable ?? ["BATON", ...words].join("_");
}
