/** Configuration → what the agent is told in every conversation: by the settings, by its working folder, by the command line. */
import { homedir } from "node:os";
import type { Config } from "./config/config.js";
import type { Instruction } from "./gateway/told.js";
import { ownFiles } from "./open-tools.js";

/** `asked`: what the command line says, for this question only. */
export async function openInstructions(
  config: Config,
  asked: string | undefined,
): Promise<() => Promise<readonly Instruction[]>> {
  const { instructions, workdir } = config.agent;
  const { folderInstructions } = await import("./agent/tools/folder-instructions.js");
  const forbidden = ownFiles(config);
  const given = (from: string, text: string | undefined | null): Instruction[] =>
    text ? [{ from, text, problem: null }] : [];
  return async () => {
    const found = await folderInstructions(workdir, { forbidden, home: homedir() });
    return [
      ...given("the person who runs this agent (agent.instructions in the settings)", instructions),
      ...(found ? [{ from: `the working folder (AGENTS.md in ${workdir})`, ...found }] : []),
      ...given("the person who asks, for this question (--system)", asked),
    ];
  };
}
