/**
 * The keys of a config file, as the schema has them: where each stands, what it takes, and the variable that overrides
 * it. The rule: `agent.maxMessages` is `BATON_AGENT_MAX_MESSAGES`; every single value at a fixed place has one, lists have none.
 */
import { z } from "zod";
import { variableOf } from "../util/setting.js";
import type { KeyMeta } from "./schema.js";

export interface ConfigKey {
  /** Names of the reader's choosing stand in angle brackets. */
  readonly path: readonly string[];
  readonly schema: z.ZodType;
  readonly meta: KeyMeta;
  readonly variable: string | null;
}

/** Every key that takes a value, in the schema's order. */
export function keysOf(file: z.ZodObject): ConfigKey[] {
  return keysBelow(file, [], true);
}

function keysBelow(wrapped: z.ZodType, path: readonly string[], fixed: boolean): ConfigKey[] {
  const schema = unwrapped(wrapped);
  const meta: KeyMeta = schema.meta() ?? {};
  if (meta.each !== undefined) {
    const [one] = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [meta.each];
    const value = childOf(schema, one ?? "");
    return value ? keysBelow(value, [...path, meta.each], false) : [];
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.ZodType>(schema.shape).flatMap(([name, child]) =>
      keysBelow(child, [...path, name], fixed),
    );
  }
  const single = fixed && !(schema instanceof z.ZodArray);
  return [{ path, schema, meta, variable: single ? variableOf(path, meta) : null }];
}

/** What stands under this name in a group; undefined where the schema knows no such key. */
export function childOf(group: z.ZodType, name: string): z.ZodType | undefined {
  if (group instanceof z.ZodRecord) return unwrapped(group.valueType as z.ZodType);
  if (!(group instanceof z.ZodObject) || !Object.hasOwn(group.shape, name)) return undefined;
  return unwrapped(group.shape[name] as z.ZodType);
}

/** The names that the schema knows in a group. */
export function namesIn(group: z.ZodType | undefined): string[] {
  return group instanceof z.ZodObject ? Object.keys(group.shape) : [];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}
