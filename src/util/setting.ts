/**
 * A setting, declared once: what it means, what it takes, what holds if nobody sets it, which variable overrides it and
 * whether it is secret. The schema, the types, the resolved values, the list of secret variables, the questions of
 * `baton setup` and the documentation follow from the declaration. It is plain data: declaring a setting loads no parser.
 */
import type { Secret, SecretFile } from "./secret.js";

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
  | { readonly is: "secret"; readonly error?: string }
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

/** Settings by name, and what they are together. */
export interface Group<Children extends Nodes = Nodes> {
  readonly children: () => Children;
  /** Why these cannot stand beside each other; null if they can. */
  readonly refuse?: (written: Readonly<Record<string, unknown>>) => string | null;
}

/** The same for each of many names. */
export interface Each<Of extends Node = Node> {
  /** What the names are, in angle brackets. */
  readonly each: string;
  readonly names: Names;
  readonly of: Of;
  /** Why this value is refused under this name; null if it is not. */
  readonly refuse?: (name: string, value: unknown) => string | null;
}

/** Some that are known, or those of the reader's choosing. */
export type Names =
  | { readonly among: () => readonly string[] }
  | { readonly pattern: RegExp; readonly error: string }
  | { readonly refuse: (name: string) => string | null };

export type Node = Setting | Group | Each;
export type Nodes = Readonly<Record<string, Node>>;
export type Settings = Readonly<Record<string, Setting>>;

/** What holds: null for a setting without a default that nobody set. Below names, what is not set is absent. */
export type ValueOf<N> =
  N extends Setting<infer Value>
    ? Value
    : N extends Group<infer Children>
      ? { readonly [Key in keyof Children]: ValueOf<Children[Key]> }
      : N extends Each<infer Of>
        ? Readonly<Record<string, WrittenOf<Of>>>
        : never;

/** What a config file says, once it is checked. */
export type WrittenOf<N> =
  N extends Setting<infer Value>
    ? Written<NonNullable<Value>>
    : N extends Group<infer Children>
      ? {
          readonly [Key in keyof Children as IsRequired<Children[Key]> extends true ? Key : never]: WrittenOf<
            Children[Key]
          >;
        } & {
          readonly [Key in keyof Children as IsRequired<Children[Key]> extends true
            ? never
            : Key]?: WrittenOf<Children[Key]>;
        }
      : N extends Each<infer Of>
        ? Readonly<Record<string, WrittenOf<Of>>>
        : never;

type IsRequired<N> = N extends { readonly isRequired: true } ? true : false;
type Written<Value> = Value extends Secret ? string | SecretFile : Value;

export function group<const Children extends Nodes>(
  children: Children | (() => Children),
  refuse?: Group["refuse"],
): Group<Children> {
  return {
    children: typeof children === "function" ? children : () => children,
    ...(refuse && { refuse }),
  };
}

export function each<const Of extends Node>(
  label: string,
  names: Names,
  of: Of,
  refuse?: Each["refuse"],
): Each<Of> {
  return { each: label, names, of, ...(refuse && { refuse }) };
}

export function secret<const M extends Meaning>(meaning: M, error?: string): M & Setting<Secret | null> {
  return { fallback: "none", ...meaning, takes: { is: "secret", ...(error && { error }) } };
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

type Range = Omit<Extract<Takes, { is: "number" }>, "is">;

export function number(usual: number, meaning: Meaning, range: Range): Setting<number>;
export function number(usual: null, meaning: Meaning, range: Range): Setting<number | null>;
export function number(usual: number | null, meaning: Meaning, range: Range): Setting<number | null> {
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
  const words = path.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return variable ?? ["BATON", ...words].join("_");
}
