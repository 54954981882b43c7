/** `/sethome` makes the current chat a home channel: the default one of its platform, or one with a name. */
import { type HomeChannel, wordOf } from "../../session/context.js";
import { LOCAL } from "../../session/platform.js";
import { addressOf, describeSource } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { platformTitle } from "../describe.js";
import type { Homes } from "../homes.js";
import { addressWords } from "../place-words.js";
import { type Command, fixedWords } from "./commands.js";

const LONGEST_CHAT_NAME = 80;

export const sethome: Command = {
  name: "sethome",
  usage: "[name|list|remove <name>]",
  completes: fixedWords({
    list: "show all home channels",
    "remove ": "forget one, by its name",
  }),
  description: "make this chat a home channel, to which conversations can be moved by name",
  details:
    "Without a name, it is the default home channel of its platform, which the platform's name means; the last one that was " +
    "set counts. With a name, such as `ops`, that name means it. A platform can have several with names. In a thread or " +
    "topic, it is that thread. `list` shows all home channels, and `remove` forgets one. If the settings name a default home " +
    "channel, the settings win.",
  role: "owner",
  async run({ item: { source }, words, gateway: { homes } }) {
    const [verb = "", ...rest] = words.split(/\s+/);
    if (verb.toLowerCase() === "list" && rest.length === 0) return list(homes);
    if (verb.toLowerCase() === "remove") return remove(homes, rest.join(" "));
    if (source.platform === LOCAL)
      return "The terminal can't be a home channel. Send /sethome in a chat of a platform.";
    const name = shorten(cleanLine(source.chatName || describeSource(source)), LONGEST_CHAT_NAME);
    const wanted = { address: addressOf(source), name };
    const home = await homes.set(words === "" ? wanted : { ...wanted, word: words });
    const called = home.word === undefined ? "" : `\`${home.word}\` `;
    return `This is now the home channel ${called}of ${platformTitle(source.platform)}: ${name} (${addressWords(home.address)}).`;
  },
};

async function list(homes: Homes): Promise<string> {
  const all = await homes.all();
  if (all.length === 0) return "There is no home channel yet. Send /sethome in the chat that should be one.";
  const lines = all.map(
    (home) =>
      `- \`${wordOf(home)}\`: ${chatWords(home)}${homes.isConfigured(home) ? ", from the settings" : ""}`,
  );
  return ["Home channels:", ...lines].join("\n");
}

async function remove(homes: Homes, word: string): Promise<string> {
  if (word === "")
    return "Which one? Send /sethome remove and its name. To see them all, send /sethome list.";
  const home = await homes.remove(word);
  return `Removed the home channel \`${wordOf(home)}\`: ${chatWords(home)}.`;
}

function chatWords({ address, name }: HomeChannel): string {
  return `${platformTitle(address.platform)}, ${cleanLine(name)} (${addressWords(address)})`;
}
