/** `/approve` and `/deny`: the answer to a question that a running turn asks before it does something dangerous. */
import { seenText } from "../../util/seen-text.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { Question, Verdict } from "../approvals.js";
import type { Command, CommandCall } from "./commands.js";

export const approve: Command = {
  name: "approve",
  usage: "[number]",
  description: "let the agent do what it asked about",
  details: "Holds for that one call, with exactly what was shown; the next one is asked about again.",
  run: async (call) => answer(call, "approved", "Approved"),
};

export const deny: Command = {
  name: "deny",
  usage: "[number]",
  description: "keep the agent from doing what it asked about",
  run: async (call) => answer(call, "denied", "Denied"),
};

function answer({ item, words, who, gateway }: CommandCall, verdict: Verdict, said: string): string {
  const open = gateway.approvals.openTo(item.key, who);
  if (open.length === 0) return "Nothing waits for your answer.";
  const [only, ...others] = open;
  const question =
    words === "" && others.length === 0 ? only : open.find((each) => `${each.number}` === words);
  if (!question) return `Which one? ${open.map(asLine).join(" ")}`;
  gateway.approvals.answer(question, verdict);
  return `${said}: ${asLine(question)}`;
}

function asLine({ number, danger }: Question): string {
  return `${number}, \`${shorten(cleanLine(seenText(danger.what).text), 80)}\`.`;
}
