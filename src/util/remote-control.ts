/** Asks about a command that runs elsewhere, and signals it there. A connection that fails says nothing about the command. */
import { execFile } from "node:child_process";
import type { LaunchThere, RemoteControl } from "./command-environment.js";
import { withoutDescriptors } from "./without-descriptors.js";

/** How long the other side may take to answer. */
const PATIENCE_MS = 30_000;

type Variables = LaunchThere["environment"];

export async function signalThere(
  { signal }: RemoteControl,
  name: "TERM" | "KILL",
  environment: Variables,
): Promise<void> {
  await outcomeOf([...signal, name], environment);
}

/** True if something of its group runs, though the command itself may have ended. False if nobody can tell. */
export async function isLeftThere({ signal }: RemoteControl, environment: Variables): Promise<boolean> {
  return (await outcomeOf([...signal, "0"], environment)).code === 0;
}

export type StatusThere =
  | { readonly kind: "running" }
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "unknown" };

export async function statusThere({ status }: RemoteControl, environment: Variables): Promise<StatusThere> {
  const { code, text } = await outcomeOf(status, environment);
  const said = code === 0 ? /^(running|exited (\d{1,3}))\n$/.exec(text) : null;
  if (said === null) return { kind: "unknown" };
  return said[2] === undefined ? { kind: "running" } : { kind: "exited", code: Number(said[2]) };
}

/** If it fails, the next command there removes it. */
export async function forgetThere({ forget }: RemoteControl, environment: Variables): Promise<void> {
  await outcomeOf(forget, environment);
}

/** `code` is null if it did not end by itself. */
function outcomeOf(
  [program, ...words]: readonly [string, ...string[]],
  environment: Variables,
): Promise<{ code: number | null; text: string }> {
  const [file, ...args] = withoutDescriptors(program, words); // The connection that it makes may stay.
  return new Promise((resolve) => {
    const options = {
      cwd: "/",
      env: { ...environment },
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
    } as const;
    const child = execFile(file, args, options, (error, text) =>
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : null, text }),
    );
    child.stdin?.end();
  });
}
