/** Hostile commands, aimed at a world and put together. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./world.js";

export const aimed = (command: string, places: Readonly<Record<string, string>>) =>
  command.replace(/\{(\w+)\}/g, (written, name: string) => places[name] ?? written);

/** One after the other, each in a shell of its own, from a file: none stands in the command line of another. */
export function script(commands: readonly string[], { places, work }: World): string {
  mkdirSync(join(work, "commands"), { recursive: true });
  const lines = commands.map((command, index) => {
    writeFileSync(join(work, "commands", String(index)), aimed(command, places));
    return `cd ${work}; timeout -k 1 6 bash commands/${index} </dev/null || :`;
  });
  return lines.join("\n");
}
