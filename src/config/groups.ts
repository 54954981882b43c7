/** Settings put together: by their names, and the same ones for each of many names. What holds has its type from here. */
import type { Secret, SecretFile } from "../util/secret.js";
import type { Setting } from "../util/setting.js";

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
  readonly names: KeyNames;
  readonly of: Of;
  /** Why this value is refused under this name; null if it is not. */
  readonly refuse?: (name: string, value: unknown) => string | null;
}

/** Some that are known, or those of the reader's choosing. */
export type KeyNames =
  | { readonly among: () => readonly string[] }
  | { readonly pattern: RegExp; readonly error: string }
  | { readonly refuse: (name: string) => string | null };

export type Node = Setting | Group | Each;
export type Nodes = Readonly<Record<string, Node>>;

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
    ? WrittenValue<NonNullable<Value>>
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
type WrittenValue<Value> = Value extends Secret ? string | SecretFile : Value;

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
  names: KeyNames,
  of: Of,
  refuse?: Each["refuse"],
): Each<Of> {
  return { each: label, names, of, ...(refuse && { refuse }) };
}
