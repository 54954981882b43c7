/**
 * The keys of a config file, as they are declared: where each stands, what it takes, and the variable that overrides it.
 * The rule: `agent.maxMessages` is `BATON_AGENT_MAX_MESSAGES`; every single value at a fixed place has one, lists have none.
 */
import { type Setting, variableOf } from "../util/setting.js";
import type { Group, Node } from "./groups.js";

export interface ConfigKey {
  /** Names of the reader's choosing stand in angle brackets. */
  readonly path: readonly string[];
  readonly setting: Setting;
  readonly variable: string | null;
}

/** Every key that takes a value, in the order of the declarations. */
export function keysOf(file: Group): ConfigKey[] {
  return keysBelow(file, [], true);
}

function keysBelow(node: Node, path: readonly string[], isFixed: boolean): ConfigKey[] {
  if ("each" in node) return keysBelow(node.of, [...path, node.each], false);
  if ("children" in node) {
    return Object.entries(node.children()).flatMap(([name, child]) =>
      keysBelow(child, [...path, name], isFixed),
    );
  }
  const isSingle = isFixed && node.takes.is !== "list";
  return [{ path, setting: node, variable: isSingle ? variableOf(path, node) : null }];
}

/** What stands under this name; undefined if nothing does. */
export function childOf(node: Node, name: string): Node | undefined {
  if ("each" in node) {
    return "among" in node.names && !node.names.among().includes(name) ? undefined : node.of;
  }
  if (!("children" in node)) return undefined;
  const children = node.children();
  return Object.hasOwn(children, name) ? children[name] : undefined;
}

/** The names that are known below this. */
export function namesIn(node: Node | undefined): readonly string[] {
  if (node === undefined || "takes" in node) return [];
  if ("children" in node) return Object.keys(node.children());
  return "among" in node.names ? node.names.among() : [];
}
