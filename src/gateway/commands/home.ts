/** `/sethome` makes the current chat the home channel of its platform. */
import { LOCAL } from "../../session/platform.js";
import { addressOf, describeSource, formatAddress } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import { platformTitle } from "../describe.js";
import type { Command } from "./commands.js";

const MAX_NAME = 80;

export const sethome: Command = {
  name: "sethome",
  usage: "[name]",
  description: "make this chat the home channel of its platform, where handoffs to the platform go",
  details:
    "A platform has one home channel, the last one that was set. In a thread or topic, it is that thread. " +
    "If the settings name a home channel, the settings win.",
  role: "owner",
  async run({ item: { source }, words, gateway: { homes } }) {
    const { platform } = source;
    const title = platformTitle(platform);
    if (platform === LOCAL)
      return "The terminal can't be a home channel. Send /sethome in a chat of a platform.";
    if (homes.isConfigured(platform))
      return `The settings already name the home channel of ${title}. Change \`platforms.${platform}.homeChannel\`, or remove it and send /sethome again.`;
    const address = addressOf(source);
    const name = shorten(cleanLine(words || source.chatName || describeSource(source)), MAX_NAME);
    await homes.set({ address, name });
    return `This is now the home channel of ${title}: ${name} (\`${cleanLine(formatAddress(address))}\`).`;
  },
};
