/** What a chat in the terminal says first: what this is, on the very first start; where you were, on return. Pure. */
import type { SessionEntry } from "../session/session.js";
import type { Message } from "../session/transcript.js";
import { cleanLine, shorten } from "../util/text.js";
import { relativeTime } from "../util/words.js";

const LONGEST_WORDS = 100;

/** In Markdown. `model`: the name of the model that answers; null for the offline agent. */
export function firstGreeting(model: string | null): string {
  const [who, tries] =
    model === null
      ? [
          "No model is set up yet: an offline agent answers, which only repeats what you say and runs a few commands. To set one up, leave with Ctrl-D and run `baton setup`.",
          ["`run ls -l`: runs a command", "`remind me in 10s to stretch`: a scheduled job"],
        ]
      : [
          `The model \`${cleanLine(model).replaceAll("`", "'")}\` answers. It can read files and run commands, and asks you before it does something dangerous.`,
          ["`What is in this folder?`", "`Remind me in 10 minutes to stretch`"],
        ];
  const list = [...tries, "`/help`: what else you can do here"].map((each) => `- ${each}`).join("\n");
  return `**Welcome to Baton.** It keeps your conversation with an AI agent, and carries it from this terminal to your chat apps and back. ${who}\n\nThree things to try:\n\n${list}`;
}

/** `Garden plans, 3 h ago.` and the last words of both, in their order; plain text. */
export function returnWords(
  { title, updatedAt }: Pick<SessionEntry, "title" | "updatedAt">,
  messages: readonly Message[],
  now: number,
): string {
  const last = (role: Message["role"]): number =>
    messages.findLastIndex((each) => each.role === role && !isNote(each) && each.content.trim() !== "");
  const both = [
    { who: "You", at: last("user") },
    { who: "Baton", at: last("assistant") },
  ].sort((one, other) => one.at - other.at);
  return [
    `${cleanLine(title ?? "") || "Your last conversation"}, ${relativeTime(updatedAt, now)}.`,
    ...both.flatMap(({ who, at }) => {
      const words = messages[at]?.content;
      return words === undefined ? [] : [`${who}: ${shorten(cleanLine(words), LONGEST_WORDS)}`];
    }),
  ].join("\n");
}

/** Something that the agent was told in the name of nobody. */
function isNote(message: Message): boolean {
  return message.role === "user" && message.note !== undefined;
}
