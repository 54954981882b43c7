/** Which key does what. */
import type { Edit, Motion } from "./editor.js";

/** As `node:readline` decodes them. */
export interface Key {
  readonly name?: string;
  /** All of what the key sent. */
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

export type KeyCommand =
  | Edit
  | { readonly kind: "submit" }
  | { readonly kind: "complete" }
  | { readonly kind: "up" }
  | { readonly kind: "down" }
  | { readonly kind: "older" }
  | { readonly kind: "newer" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end of input" }
  | { readonly kind: "redraw" }
  | { readonly kind: "suspend" }
  | { readonly kind: "unfold" };

const move = (to: Motion): KeyCommand => ({ kind: "move", to });
const remove = (to: Motion): KeyCommand => ({ kind: "delete", to });
const NEWLINE: KeyCommand = { kind: "insert", text: "\n" };

const PLAIN: Readonly<Record<string, KeyCommand>> = {
  return: { kind: "submit" },
  enter: NEWLINE,
  tab: { kind: "complete" },
  up: { kind: "up" },
  down: { kind: "down" },
  left: move("left"),
  right: move("right"),
  home: move("line start"),
  end: move("line end"),
  backspace: remove("left"),
  delete: remove("right"),
};

const CTRL: Readonly<Record<string, KeyCommand>> = {
  a: move("line start"),
  b: move("left"),
  c: { kind: "interrupt" },
  d: { kind: "end of input" },
  e: move("line end"),
  f: move("right"),
  h: remove("left"),
  k: remove("line end"),
  l: { kind: "redraw" },
  n: { kind: "newer" },
  o: { kind: "unfold" },
  p: { kind: "older" },
  u: remove("line start"),
  w: remove("word left"),
  y: { kind: "paste cut" },
  z: { kind: "suspend" },
  left: move("word left"),
  right: move("word right"),
  backspace: remove("word left"),
  delete: remove("word right"),
};

const META: Readonly<Record<string, KeyCommand>> = {
  return: NEWLINE,
  enter: NEWLINE,
  b: move("word left"),
  d: remove("word right"),
  f: move("word right"),
  left: move("word left"),
  right: move("word right"),
  backspace: remove("word left"),
  delete: remove("word right"),
};

/** Null for keys that mean nothing here. */
export function commandOf(text: string | undefined, key: Key): KeyCommand | null {
  const table = key.ctrl ? CTRL : key.meta ? META : PLAIN;
  const command = key.name !== undefined && Object.hasOwn(table, key.name) ? table[key.name] : undefined;
  if (command) return command;
  return text && !key.ctrl && !key.meta && !/\p{Cc}/u.test(text) ? { kind: "insert", text } : null;
}
