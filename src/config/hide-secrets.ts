/**
 * Takes secrets out of the environment that other processes of the same user can look at. Deleting a variable does not:
 * on Linux `/proc/<pid>/environ` goes on showing what a process was started with, to its children too. So the memory
 * behind it is overwritten. Best effort: elsewhere, and where the system does not allow it, the variables are only deleted.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Variables of ours that hold secrets; a test holds this against the schema. */
export const SECRET_VARIABLES: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "BATON_STORE",
  "BATON_AGENT_API_KEY",
  "BATON_AGENT_FALLBACK_API_KEY",
  "TELEGRAM_BOT_TOKEN",
  "DISCORD_BOT_TOKEN",
  "SLACK_BOT_TOKEN",
  "SLACK_APP_TOKEN",
  "WHATSAPP_ACCESS_TOKEN",
  "WHATSAPP_APP_SECRET",
  "WHATSAPP_VERIFY_TOKEN",
  "MATRIX_ACCESS_TOKEN",
];

/** To be called once these were read. */
export function hideSecrets(variables: NodeJS.ProcessEnv = process.env): void {
  const names = SECRET_VARIABLES.filter((name) => variables[name]);
  if (names.length === 0) return;
  for (const name of names) delete variables[name];
  if (process.platform !== "linux") return;
  try {
    overwrite(names);
  } catch {
    // Not allowed here: what could be done was done.
  }
}

function overwrite(names: readonly string[]): void {
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
    for (const { from, to } of valuesIn(environment, names)) {
      writeSync(memory, Buffer.alloc(to - from, "*"), 0, to - from, start + from);
    }
  } finally {
    closeSync(memory);
  }
}

/** Where in `NAME=value\0NAME=value\0` the values of these names stand. */
function valuesIn(environment: Buffer, names: readonly string[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let at = 0; at < environment.length; ) {
    const zero = environment.indexOf(0, at);
    const to = zero < 0 ? environment.length : zero;
    const equals = environment.indexOf("=", at);
    if (equals > at && equals < to && names.includes(environment.toString("latin1", at, equals))) {
      found.push({ from: equals + 1, to });
    }
    at = to + 1;
  }
  return found;
}
