/**
 * A conversation that is too long for a model, made shorter without a summary: the oldest turns are left out first, then
 * the oldest steps of the turn that is being answered, then long texts are cut. The summary before it, the message to
 * answer and what people asked for in general stay. Always a valid window that ends as it did.
 */
import { attachmentsOf } from "../session/attachments.js";
import type { Message } from "../session/transcript.js";
import { shorten } from "../util/text.js";
import { counted } from "../util/words.js";
import { lastRequest } from "./range.js";
import { standingSentences } from "./standing.js";
import { tokensOf, tokensOfAll } from "./tokens.js";

/** Texts shorter than this are not cut. */
const SHORTEST = 400;

/** At most about so many tokens. The first `pinned` messages stay. The same list if it fits, or if it can't be shorter. */
export function fitted(messages: readonly Message[], most: number, pinned = 0): readonly Message[] {
  if (tokensOfAll(messages) <= most) return messages;
  const head = messages.slice(0, pinned);
  const rest = messages.slice(pinned);
  const request = Math.max(0, lastRequest(rest));
  const turns = withoutOldTurns(rest, request, most - tokensOfAll(head));
  if (turns) return [...head, ...turns];
  const last = [...head, ...leftOut(rest.slice(0, request)), ...withoutOldSteps(rest.slice(request), most)];
  const shorter = cutTexts(last, most);
  return tokensOfAll(shorter) < tokensOfAll(messages) ? shorter : messages;
}

/** From the first person's message on from which all fits; null if not even the last request and its turn do. */
function withoutOldTurns(messages: readonly Message[], request: number, most: number): Message[] | null {
  let tokens = 0;
  let start: number | null = null;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) break;
    tokens += tokensOf(message);
    if (tokens > most) break;
    if (message.role !== "user" || index > request) continue;
    const note = leftOut(messages.slice(0, index));
    if (tokens + tokensOfAll(note) <= most) start = index;
  }
  return start === null ? null : [...leftOut(messages.slice(0, start)), ...messages.slice(start)];
}

/** The request, and the last steps that fit; at least the last one. A step is an answer with the results of its calls. */
function withoutOldSteps(turn: readonly Message[], most: number): Message[] {
  const [request, ...after] = turn;
  if (!request) return [];
  const starts = after.flatMap(({ role }, index) => (role === "tool" ? [] : [index]));
  const from =
    starts.find((start) => tokensOf(request) + tokensOfAll(after.slice(start)) <= most) ?? starts.at(-1);
  if (!from) return [...turn];
  const steps = starts.filter((start) => start < from).length;
  const note = `[Note] ${counted(steps, "earlier step")} of this turn ${steps === 1 ? "is" : "are"} left out here, because the conversation is too long for the model.`;
  const said = after.slice(0, from).filter(({ role }) => role === "user");
  return [request, ...said, { role: "user", content: note, note: true }, ...after.slice(from)];
}

/** One line in the place of what is left out, with what people asked for in general. */
function leftOut(messages: readonly Message[]): Message[] {
  if (messages.length === 0) return [];
  const asked = standingSentences(messages);
  const content = [
    `[Note] ${counted(messages.length, "earlier message")} of this conversation ${messages.length === 1 ? "is" : "are"} left out here, because it is too long for the model. session_search finds them.`,
    ...asked.map((words) => `- ${words}`),
  ].join("\n");
  return [{ role: "user", content, note: true }];
}

/** With long texts cut, the longest first, until it fits or nothing is long. */
function cutTexts(messages: readonly Message[], most: number): readonly Message[] {
  let cut = messages;
  while (tokensOfAll(cut) > most) {
    const longest = Math.max(...cut.flatMap(textsOf).map(({ length }) => length));
    if (longest <= SHORTEST) break;
    const limit = Math.max(SHORTEST, Math.floor(longest / 2));
    cut = cut.map((message) =>
      textsOf(message).every(({ length }) => length <= limit) ? message : shortened(message, limit),
    );
  }
  return cut;
}

/** The text of a message and those of its files. */
function textsOf(message: Message): string[] {
  return [message.content, ...attachmentsOf(message).map(({ text = "" }) => text)];
}

function shortened(message: Message, limit: number): Message {
  const content = shorten(message.content, limit);
  if (message.role !== "user" || !message.attachments) return { ...message, content };
  const attachments = message.attachments.map((attachment) =>
    attachment.text === undefined ? attachment : { ...attachment, text: shorten(attachment.text, limit) },
  );
  return { ...message, content, attachments };
}
