/**
 * Takes the environment away that other processes of the same user can look at: all but what every child is given
 * anyway. Deleting a variable does not: on Linux `/proc/<pid>/environ` goes on showing what a process was started with,
 * to its children too. So the memory behind it is overwritten. Best effort: elsewhere, and where the system does not
 * allow it, the variables are only deleted.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { isSecret } from "../util/setting.js";
import { isForChildren } from "./environment.js";
import { keysOf } from "./keys.js";
import { MODEL_KEYS } from "./model-variables.js";
import { homeFile } from "./schema.js";

/** Variables of ours that hold secrets; nothing but our configuration needs them. */
export function secretVariableNames(): string[] {
  const keys = keysOf(homeFile).filter(({ setting }) => isSecret(setting));
  return [...MODEL_KEYS, ...keys.flatMap(({ variable }) => variable ?? [])];
}

/** To be called once our own were read. Other variables stay where libraries find them, out of others' sight. */
export function hideEnvironment(variables: NodeJS.ProcessEnv = process.env): void {
  for (const name of secretVariableNames()) delete variables[name];
  if (process.platform !== "linux") return;
  // Written anew, a variable no longer stands in the memory that the process was started with.
  for (const [name, value] of Object.entries(variables)) {
    if (!isForChildren(name)) variables[name] = value;
  }
  try {
    overwrite();
  } catch {
    // Not allowed here: what could be done was done.
  }
}

function overwrite(): void {
  // Fields 50 and 51, counted from 1; the second one is a name in brackets that may hold anything.
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  const start = Number(fields[47]);
  const end = Number(fields[48]);
  const environment = readFileSync("/proc/self/environ");
  if (!(start > 0) || !Number.isSafeInteger(end) || end - start !== environment.length) return;
  const memory = openSync("/proc/self/mem", "r+");
  try {
    for (const { from, to } of hiddenIn(environment)) {
      writeSync(memory, Buffer.alloc(to - from, "*"), 0, to - from, start + from);
    }
  } finally {
    closeSync(memory);
  }
}

/** Where in `NAME=value\0NAME=value\0` something stands that no child is given. */
function hiddenIn(environment: Buffer): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let at = 0; at < environment.length; ) {
    const zero = environment.indexOf(0, at);
    const to = zero < 0 ? environment.length : zero;
    const equals = environment.indexOf("=", at);
    const isNamed = equals > at && equals < to;
    if (!isNamed) found.push({ from: at, to });
    else if (!isForChildren(environment.toString("latin1", at, equals))) found.push({ from: equals + 1, to });
    at = to + 1;
  }
  return found;
}
