/** The commands in Telegram's menu, told only when they changed. */
import type { Api } from "grammy";
import { cleanLine, shorten } from "../../util/text.js";
import type { Line, Memory } from "../adapter.js";

const NAME = "menu";
const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 256;

export async function offerMenu(api: Api, commands: Line["commands"], memory: Memory): Promise<void> {
  const menu = menuOf(commands);
  const wanted = JSON.stringify(menu);
  if (((await memory.read(NAME)) ?? "[]") === wanted) return;
  try {
    await api.setMyCommands(menu);
  } catch {
    return; // The menu is a courtesy: what is typed works without it, and the next start tries again.
  }
  await memory.write(NAME, wanted);
}

/** As Telegram takes them: lower-case names of at most 32 letters, digits and underscores. */
export function menuOf(
  commands: Line["commands"],
): readonly { readonly command: string; readonly description: string }[] {
  return commands
    .map(({ name, description }) => ({
      command: name.toLowerCase(),
      description: shorten(cleanLine(description), MAX_DESCRIPTION - 1) || name,
    }))
    .filter(({ command }) => /^[a-z0-9_]{1,32}$/.test(command))
    .slice(0, MAX_COMMANDS);
}
