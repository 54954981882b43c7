/**
 * `/approve` and `/deny` answer the question that a running turn asks before it does something dangerous. An owner can
 * also make Baton remember the answer, list what is remembered here, and take it back.
 */
import { seenText } from "../../util/seen-text.js";
import { cleanLine, shorten } from "../../util/text.js";
import { type ApprovalQuestion, digestOf, type Verdict } from "../approvals.js";
import { type Command, type CommandCall, fixedWords } from "./commands.js";

export const approve: Command = {
  name: "approve",
  usage: "[number] [always]",
  completes: fixedWords({
    always: "do not ask again about this call here",
    list: "show what is always allowed",
    "forget ": "ask again about a call, by its number",
  }),
  description: "let the agent do what it asked about",
  details:
    "Allows that one call, exactly as shown; I ask again about the next one. The plain words yes, no and always do the " +
    "same while I wait for an answer. An owner can add `always`: then I do not ask again about exactly this call of this " +
    "person in this chat. `/approve list` shows what is always allowed, and `/approve forget` with its number ends that. " +
    "I ask each time before a command leaves the sandbox. Without a number it answers the only open question, unless " +
    "another one was settled a moment ago: then give the number.",
  run: async (call) => {
    const [, which = "", word = ""] = /^(\S*)\s*(.*)$/s.exec(call.words) ?? [];
    if (which === "list") return list(call);
    if (which === "forget") return forget(call, word);
    if (which === "always") return always(call, word);
    return word === "always" ? always(call, which) : answer(call, call.words, "approved", "Approved");
  },
};

export const deny: Command = {
  name: "deny",
  usage: "[number]",
  description: "keep the agent from doing what it asked about",
  run: async (call) => answer(call, call.words, "denied", "Denied"),
};

async function answer(call: CommandCall, which: string, verdict: Verdict, said: string): Promise<string> {
  const question = await find(call, which);
  if (typeof question === "string") return question;
  call.gateway.approvals.answer(question, verdict);
  return `${said}: ${inCode(question)}.`;
}

const OWNERS_ONLY = "Only an owner can allow something always.";

async function always(call: CommandCall, which: string): Promise<string> {
  if (call.who.role !== "owner") return OWNERS_ONLY;
  const question = await find(call, which);
  if (typeof question === "string") return question;
  const { key, author, tool, danger, number } = question;
  if (danger.onlyOwner)
    return `I ask about this each time, so it can't be allowed always. To allow it once: yes ${number}`;
  const [identity] = author.identities;
  if (identity === undefined) return `${OWNERS_ONLY} I can't tell who you are here.`;
  const shown = shorten(cleanLine(`${tool}: ${seenText(danger.what).text}`), 200);
  await call.gateway.standing.add(
    { key, identity, digest: digestOf(tool, danger), shown },
    call.item.receivedAt,
  );
  call.gateway.approvals.answer(question, "approved");
  return `Approved, now and always in this chat: ${inCode(question)}. /approve list shows what is allowed here.`;
}

async function list({ item, who, gateway }: CommandCall): Promise<string> {
  if (who.role !== "owner") return OWNERS_ONLY;
  const allowed = await gateway.standing.in(item.key);
  if (allowed.length === 0) return "Nothing is always allowed in this chat.";
  const lines = allowed.map(({ id, identity, shown }) => `${id}: \`${shown}\`, for ${identity}`);
  return `Always allowed in this chat:\n${lines.join("\n")}\nTo be asked again: /approve forget <number>`;
}

async function forget({ item, who, gateway }: CommandCall, number: string): Promise<string> {
  if (who.role !== "owner") return OWNERS_ONLY;
  const isGone = /^\d{1,15}$/.test(number) && (await gateway.standing.remove(item.key, Number(number)));
  return isGone
    ? `I will ask again about ${number}.`
    : "Which one? /approve list shows the numbers of what is always allowed in this chat.";
}

/** The question to answer, or the reply if there is none. Without a number: the only one, if it was shown here. */
async function find({ item, who, gateway }: CommandCall, which: string): Promise<ApprovalQuestion | string> {
  const { approvals } = gateway;
  const open = approvals.openTo(item.key, who);
  if (open.length === 0) return "Nothing waits for your answer.";
  const question =
    which === ""
      ? await approvals.meant(open, (each) => gateway.shownAt(each, item))
      : open.find(({ number, token }) => which === `${number}` || which === token);
  if (question) return question;
  const choices = open.map((each) => `${inCode(each)}: yes ${each.number} or no ${each.number}.`);
  return ["Which one?", ...choices].join(choices.length > 1 ? "\n" : " ");
}

/** What it would do, as code that it cannot end itself. */
function inCode({ danger }: ApprovalQuestion): string {
  return `\`${shorten(cleanLine(seenText(danger.what).text), 80).replaceAll("`", "'")}\``;
}
