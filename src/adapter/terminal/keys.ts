/** Which key does what. */
import type { Edit, Motion } from "./editor.js";

/** As `node:readline` decodes them. */
export interface Key {
  readonly name?: string;
  /** All of what the key sent. */
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

export type KeyCommand =
  | Edit
  | { readonly kind: "submit" }
  | { readonly kind: "complete" }
  | { readonly kind: "complete before" }
  | { readonly kind: "up" }
  | { readonly kind: "down" }
  | { readonly kind: "older" }
  | { readonly kind: "newer" }
  | { readonly kind: "search older" }
  | { readonly kind: "search newer" }
  | { readonly kind: "escape" }
  | { readonly kind: "undo" }
  | { readonly kind: "edit elsewhere" }
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
  escape: { kind: "escape" },
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
  g: { kind: "edit elsewhere" },
  h: remove("left"),
  k: remove("line end"),
  l: { kind: "redraw" },
  n: { kind: "newer" },
  o: { kind: "unfold" },
  p: { kind: "older" },
  r: { kind: "search older" },
  s: { kind: "search newer" },
  u: remove("line start"),
  w: remove("word left"),
  y: { kind: "paste cut" },
  z: { kind: "suspend" },
  _: { kind: "undo" },
  left: move("word left"),
  right: move("word right"),
  backspace: remove("word left"),
  delete: remove("word right"),
};

const META: Readonly<Record<string, KeyCommand>> = {
  return: NEWLINE,
  enter: NEWLINE,
  escape: { kind: "escape" },
  b: move("word left"),
  d: remove("word right"),
  f: move("word right"),
  left: move("word left"),
  right: move("word right"),
  backspace: remove("word left"),
  delete: remove("word right"),
};

/** Readline knows no name for it. */
const CTRL_UNDERSCORE = "\u001f";

/** After Ctrl-X, with Ctrl; any other key means there what it always means. */
const AFTER_PREFIX: Readonly<Record<string, KeyCommand>> = {
  e: { kind: "edit elsewhere" },
  u: { kind: "undo" },
};

/** The key that begins a command of two keys. */
export function isPrefix({ name, ctrl }: Key): boolean {
  return ctrl === true && name === "x";
}

/** Null for keys that mean nothing here. */
export function commandOf(text: string | undefined, given: Key, afterPrefix = false): KeyCommand | null {
  const key = given.sequence === CTRL_UNDERSCORE ? { ...given, name: "_", ctrl: true } : given;
  const second = afterPrefix && key.ctrl && AFTER_PREFIX[key.name ?? ""];
  if (second) return second;
  if (key.name === "tab" && key.shift) return { kind: "complete before" };
  const table = key.ctrl ? CTRL : key.meta ? META : PLAIN;
  const command = key.name !== undefined && Object.hasOwn(table, key.name) ? table[key.name] : undefined;
  if (command) return command;
  return text && !key.ctrl && !key.meta && !/\p{Cc}/u.test(text) ? { kind: "insert", text } : null;
}
