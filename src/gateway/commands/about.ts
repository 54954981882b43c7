/** `/platforms` and `/whoami`: where the gateway is, and whom it takes one for. */
import { identityOf } from "../../session/access.js";
import { cleanLine } from "../../util/text.js";
import { authorize } from "../authorize.js";
import type { Command } from "./commands.js";
import { platformTitle } from "./describe.js";
import type { Facts } from "./facts.js";

export const platforms: Command = {
  name: "platforms",
  usage: "",
  description: "show the platforms and whether they are connected",
  async run({ gateway }) {
    return gateway
      .platforms()
      .map(({ platform, connected }) => `- ${platformTitle(platform)}: ${connected ? "" : "not "}connected`)
      .join("\n");
  },
};

export function whoami({ people }: Facts): Command {
  return {
    name: "whoami",
    usage: "",
    description: "show whom you are taken for, and what you may do",
    async run({ item: { source } }) {
      const access = authorize(source, people);
      const identity = identityOf(source);
      return [
        `Platform: ${platformTitle(source.platform)}`,
        `Identity: ${identity === null ? "whoever sits at this machine" : `\`${cleanLine(identity)}\``}`,
        `Role: ${access.allowed ? access.role : `none, since ${access.reason}`}`,
        "Names can be changed by anyone, so they decide nothing here: only the identity does.",
      ].join("\n");
    },
  };
}
