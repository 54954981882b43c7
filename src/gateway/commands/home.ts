/** `/sethome`: the present chat becomes where its platform's results go. */
import { LOCAL } from "../../session/platform.js";
import { addressOf, describeSource, formatAddress } from "../../session/source.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { Command } from "./commands.js";
import { platformTitle } from "./describe.js";

const MAX_NAME = 80;

export const sethome: Command = {
  name: "sethome",
  usage: "[name]",
  description:
    "make this chat its platform's home channel, where results go that are for nobody in particular",
  details:
    "A platform has one home channel: the last chat in which this was said. In a thread or topic it is that thread. " +
    "Where the settings name a home channel, theirs counts.",
  role: "owner",
  async run({ item: { source }, words, gateway: { homes } }) {
    const { platform } = source;
    const title = platformTitle(platform);
    if (platform === LOCAL)
      return "This machine needs no home channel: what is delivered to it is kept in files. Say /sethome in a chat of a platform.";
    if (homes.isConfigured(platform))
      return `The settings name the home channel of ${title}: change \`platforms.${platform}.homeChannel\` there, or take it out and say /sethome again.`;
    const address = addressOf(source);
    const name = shorten(cleanLine(words || source.chatName || describeSource(source)), MAX_NAME);
    await homes.set({ address, name });
    return `This is the home channel of ${title} now: ${name} (\`${cleanLine(formatAddress(address))}\`).`;
  },
};
