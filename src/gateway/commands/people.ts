/** `/link` links accounts of one person, and `/pair` lets people in. Only in private, because codes are secrets. */
import { cleanLine } from "../../util/text.js";
import { counted, relativeTime } from "../../util/words.js";
import { senderOf } from "../authorize.js";
import { linkAnswer, NOT_A_CODE, refusalText } from "../code-answers.js";
import { readCode } from "../pairing.js";
import type { AgentInfo } from "./agent-info.js";
import { type Command, type CommandCall, fixedWords } from "./commands.js";

/** To a command whose answer is a secret, if others would see it. */
export const IN_PRIVATE = "Others would see it here. Send it to me in private.";

export function link({ clock }: AgentInfo): Command {
  return {
    name: "link",
    usage: "[code]",
    description: "link this account with your account on another platform",
    details:
      "Without a code, it shows one that is valid for ten minutes. Send `/link` and that code to me on the other platform, " +
      "in private. Anyone who sends it becomes you, so give it to nobody.",
    async run(call) {
      const { item, words, gateway } = call;
      const sender = senderOf(item.source);
      if (sender === null) return "I can't tell who you are here.";
      const inPrivate = item.source.chatType === "dm";
      if (words === "") return inPrivate ? showCode(call, sender) : IN_PRIVATE;
      const code = readCode(words);
      if (code === null) return NOT_A_CODE;
      const outcome = await gateway.people.link(sender, code, {
        seenByOthers: !inPrivate,
        role: call.who.role,
      });
      if (!inPrivate)
        return "Others have seen this code, so it is no longer valid. Get a new one, and send it in private.";
      return linkAnswer(outcome, clock());
    },
  };
}

/** Sent, but not stored: a code is nowhere in the store. */
async function showCode({ item, gateway }: CommandCall, sender: string): Promise<string> {
  const code = await gateway.people.showLink(sender);
  const text = [
    `Your code is ${code}. It is valid for ten minutes.`,
    `Send \`/link ${code}\` to me on the other platform, in private. Anyone who sends it becomes you, so give it to nobody.`,
  ].join("\n");
  await gateway.say(item, text);
  return "";
}

export function pair({ clock }: AgentInfo): Command {
  return {
    name: "pair",
    usage: "[approve|deny <code>]",
    completes: fixedWords({
      "approve ": "let somebody in, by their code",
      "deny ": "refuse somebody, by their code",
    }),
    description: "show who asks to be let in, or let them in by the code they give you",
    details:
      "Baton lets them in as guests. To give them another role, run `baton people role` on my machine.",
    role: "owner",
    async run({ item, words, gateway: { people } }) {
      const sender = senderOf(item.source);
      if (item.source.chatType !== "dm" || sender === null) return IN_PRIVATE;
      const now = clock();
      if (words === "") {
        const waiting = (await people.store.requests(now)).filter(({ denied }) => !denied);
        const lines = waiting.map(
          ({ identity, askedAt }) => `- \`${cleanLine(identity)}\`, ${relativeTime(askedAt, now)}`,
        );
        return lines.length === 0
          ? "Nobody is waiting to be let in."
          : [
              `${counted(lines.length, "request")}. Let in only people who give you their code:`,
              ...lines,
            ].join("\n");
      }
      const [, verb, typed = ""] = /^(approve|deny)\s+(.+)$/is.exec(words) ?? [];
      if (verb === undefined) return "Say `/pair approve <code>` or `/pair deny <code>`.";
      const code = readCode(typed);
      if (code === null) return NOT_A_CODE;
      const outcome =
        verb.toLowerCase() === "approve"
          ? await people.approve(sender, code, { role: "guest", name: null })
          : await people.denyCode(sender, code);
      switch (outcome.kind) {
        case "approved":
          return `\`${cleanLine(outcome.identity)}\` is now let in, as a guest.`;
        case "denied":
          return `\`${cleanLine(outcome.identity)}\` is not let in, and gets no more answers.`;
        default:
          return refusalText(outcome, now);
      }
    },
  };
}
