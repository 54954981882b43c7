/** `/platforms` and `/whoami`: which platforms are connected, and who you are for Baton. */
import { identityOf } from "../../session/access.js";
import { LOCAL } from "../../session/platform.js";
import { cleanLine } from "../../util/text.js";
import { TERMINAL } from "../authorize.js";
import { stateText } from "../connection.js";
import { platformTitle } from "../describe.js";
import type { ServedPlatform } from "../served.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command } from "./commands.js";

export function platforms({ clock }: AgentInfo): Command {
  return {
    name: "platforms",
    usage: "",
    description: "show the platforms and whether they are connected",
    role: "member",
    async run({ gateway }) {
      const states = await gateway.platforms();
      return states
        .map((state) => `- ${platformTitle(state.platform)}: ${servedText(state, clock())}`)
        .join("\n");
    },
  };
}

function servedText({ state, lastError, by, address }: ServedPlatform, now: number): string {
  const at = address === null || state.kind !== "connected" ? "" : ` (${cleanLine(address)})`;
  switch (by) {
    case "here":
      return `${stateText(state, lastError, now)}${at}`;
    case "elsewhere":
      return `${stateText(state, lastError, now)}, by a running gateway${at}`;
    case "gone":
      return "not connected: its gateway is not running (`baton gateway` starts it)";
    default:
      return by satisfies never;
  }
}

export const whoami: Command = {
  name: "whoami",
  usage: "",
  description: "show who you are here, what you may do, and your limits",
  async run({ item: { source }, who, gateway }) {
    const identity = identityOf(source);
    const others = who.identities.filter((each) => each !== identity && each !== TERMINAL);
    const terminal = who.identities.includes(TERMINAL) && source.platform !== LOCAL;
    const linked = [
      ...(terminal ? ["this machine's terminal"] : []),
      ...others.map((each) => `\`${cleanLine(each)}\``),
    ];
    return [
      `Platform: ${platformTitle(source.platform)}`,
      `Identity: ${identity === null ? "the person at this machine" : `\`${cleanLine(identity)}\``}`,
      `Role: ${who.role}`,
      // In a group, others would read it.
      ...(linked.length > 0 && source.chatType === "dm" ? [`Also you: ${linked.join(", ")}`] : []),
      `Limits: ${await gateway.allowance.today(who)}`,
      "Anyone can change their name, so only the identity counts here.",
    ].join("\n");
  },
};
