/** `/model` shows or sets the model of the current session. */

import { didYouMean } from "../../util/nearest.js";
import { cleanLine } from "../../util/text.js";
import { sessionModel, withModel } from "../session-model.js";
import type { AgentInfo, ModelInfo } from "./agent-info.js";
import type { Command, CommandCall, CommandReply, CommandWord } from "./commands.js";

const DEFAULT = "default";
const MAX_NAME = 200;

export function model({ model: fact }: AgentInfo): Command {
  return {
    name: "model",
    ofSession: true,
    usage: "[name]",
    description: "show the model, or choose another one for this session",
    role: "member",
    details: "To go back to the default model, send `/model default`.",
    completes: () => modelWords(fact),
    async run(call) {
      if (!fact)
        return "The agent here has no model and needs none. To see how to add one, run `baton models`.";
      if (call.words === "") return present(call, fact);
      return choose(call, fact, call.words);
    },
  };
}

async function present({ item, sessions }: CommandCall, fact: ModelInfo): Promise<string | CommandReply> {
  const entry = await sessions.current(item.key);
  const own = entry ? sessionModel(entry).model : undefined;
  const usual = usualName(fact);
  if (own === undefined) return `Model: ${usual} at ${cleanLine(fact.where)}.`;
  return {
    text: `Model: \`${cleanLine(own)}\`, for this session. To go back to ${usual}, send \`/model default\`.`,
    choices: [{ label: "Default model", command: "/model default" }],
  };
}

async function choose({ item, gateway, who }: CommandCall, fact: ModelInfo, words: string): Promise<string> {
  const name = cleanLine(words);
  if (name === "" || name.length > MAX_NAME || /\s/.test(name)) {
    return "Name one model, as in `/model default`. To list them, run `baton models`.";
  }
  const isDefault = name.toLowerCase() === DEFAULT;
  await gateway.touch(item.key, who, async ({ sessions }) => {
    const entry = (await sessions.current(item.key)) ?? (await sessions.getOrCreate(item.source));
    const metadata = withModel(entry.metadata, isDefault ? null : name);
    await sessions.update(entry.key, { metadata }, { touch: false });
  });
  if (isDefault) return `This session uses ${usualName(fact)} again.`;
  return `This session uses \`${name}\` from now on.${await doubt(fact, name)}`;
}

/** A name that is not listed may still be right: some lists are incomplete. */
async function doubt(fact: ModelInfo, name: string): Promise<string> {
  const names = await fact.list().catch(() => [name]);
  if (names.length === 0 || names.includes(name)) return "";
  return ` The server does not list it.${didYouMean(name, names)}`;
}

async function modelWords(fact: ModelInfo | undefined): Promise<CommandWord[]> {
  if (!fact) return [];
  const names = await fact.list().catch(() => []);
  const usual = {
    text: DEFAULT,
    description: `use ${usualName(fact)} again`.replaceAll("`", ""),
    ends: true,
  };
  return [usual, ...names.map((name) => ({ text: cleanLine(name), description: "", ends: true }))];
}

function usualName({ name }: ModelInfo): string {
  return name === null ? "the first model that the server lists" : `\`${cleanLine(name)}\``;
}
