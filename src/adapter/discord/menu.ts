/** Our commands in Discord's menu. Told only when they have changed: Discord takes few changes a day. */
import { createHash } from "node:crypto";
import { cleanLine, shorten } from "../../util/text.js";
import type { Line, Memory } from "../adapter.js";
import type { Api } from "./api.js";

const NAME = "commands";
const CHAT_INPUT = 1;
const TEXT = 3;
const MAX_COMMANDS = 100;
const DESCRIPTION = 100;

/** A menu that could not be told of takes nothing from anybody: commands can be written too. */
export async function announceCommands(
  api: Pick<Api, "application" | "setCommands">,
  memory: Memory,
  commands: Line["commands"],
): Promise<void> {
  const menu = commandMenu(commands);
  const print = createHash("sha256").update(JSON.stringify(menu)).digest("hex");
  try {
    if (menu.length === 0 || (await memory.read(NAME)) === print) return;
    const { id } = await api.application();
    if (id === null) return;
    await api.setCommands(id, menu);
    await memory.write(NAME, print);
  } catch {
    // Tried again by the next process.
  }
}

function commandMenu(commands: Line["commands"]): readonly object[] {
  return commands
    .filter(({ name }) => /^[a-z0-9_-]{1,32}$/.test(name))
    .slice(0, MAX_COMMANDS)
    .map(({ name, description }) => ({
      type: CHAT_INPUT,
      name,
      description: shorten(cleanLine(description), DESCRIPTION) || name,
      options: [{ type: TEXT, name: "text", description: "What follows the command" }],
    }));
}
