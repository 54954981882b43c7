/** What one source of settings says, and where each word of it stands; layers are laid over each other. */
import type { Problem, SettingPlace } from "./problem.js";

export type Tree = Readonly<Record<string, unknown>>;

export interface Layer {
  /** Empty where there are problems. */
  readonly content: Tree;
  /** By dotted key, for the leaves of the content. */
  readonly places: ReadonlyMap<string, SettingPlace>;
  readonly problems: readonly Problem[];
}

export const NOTHING: Layer = { content: {}, places: new Map(), problems: [] };

/** The upper layer over the lower one, key by key, all the way down. */
export function layered(lower: Layer, upper: Layer): Layer {
  return {
    content: merged(lower.content, upper.content),
    places: new Map([...lower.places, ...upper.places]),
    problems: [...lower.problems, ...upper.problems],
  };
}

function merged(lower: Tree, upper: Tree): Tree {
  const result: Record<string, unknown> = { ...lower };
  for (const [key, value] of Object.entries(upper)) {
    const below = result[key];
    result[key] = isTree(below) && isTree(value) ? merged(below, value) : value;
  }
  return result;
}

/** A tree that holds just this. */
export function treeAt(path: readonly string[], value: unknown): Tree {
  return path.reduceRight<unknown>((below, name) => ({ [name]: below }), value) as Tree;
}

/** Everything that has no keys below it: values, lists, and empty groups. */
export function leavesOf(tree: Tree, path: readonly string[] = []): { path: string[]; value: unknown }[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) && Object.keys(value).length > 0
      ? leavesOf(value, [...path, key])
      : [{ path: [...path, key], value }],
  );
}

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
