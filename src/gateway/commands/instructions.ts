/** `/instructions` shows what the model is told besides the conversation, in parts, and where each comes from. */
import { fenced } from "../../util/markdown-fence.js";
import { printableText } from "../../util/text.js";
import { counted, grouped } from "../../util/words.js";
import type { ToldParts } from "../told.js";
import type { Command } from "./commands.js";

export const instructions: Command = {
  name: "instructions",
  usage: "",
  description: "show what the model is told before the conversation",
  role: "owner",
  details: "In a group it shows only the parts and how long they are, because others read along.",
  async run({ item: { key, source }, who, gateway, sessions }) {
    const entry = await sessions.current(key);
    const history = entry ? await sessions.history(entry.sessionId) : [];
    const parts = shownParts(
      await gateway.told.in({ source, entry, who: { allowed: true, ...who }, history }),
    );
    const isPrivate = source.chatType === "dm";
    const shown = parts.map(({ title, text, problem }) => {
      const length = `${title} (${grouped(text.length)} characters)`;
      const heading = problem === null ? `**${length}**` : `**${length}**\n${problem}`;
      return isPrivate && text !== "" ? `${heading}\n${fenced(printableText(text))}` : heading;
    });
    const count = `The model is told ${counted(parts.length, "part")} before the conversation:`;
    return [count, ...shown, HOW].join("\n\n");
  },
};

const HOW = "To change them, set `agent.instructions`, or write AGENTS.md in the working folder.";

interface ShownPart {
  readonly title: string;
  readonly text: string;
  readonly problem: string | null;
}

/** In the order in which the model gets them. */
function shownParts({ instructions: own, place, labels }: ToldParts): readonly ShownPart[] {
  return [
    ...own.map(({ from, text, problem }) => ({ title: `Instructions from ${from}`, text, problem })),
    { title: "Where it is, from Baton", text: place, problem: null },
    ...(labels === null
      ? []
      : [{ title: "Names and memory, in the role of a user", text: labels, problem: null }]),
  ];
}
