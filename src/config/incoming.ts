/** What becomes of what people send: of a message during a turn, of several at once, and of a reaction. */
import { plainEmoji } from "../util/emoji.js";
import { choice, number, text } from "../util/setting.js";
import { each, group } from "./groups.js";
import { A_CHAT, chatNames, eachPlatform } from "./names.js";

const BUSY_MODES = ["interrupt", "queue", "steer"] as const;

export const busy = group({
  default: choice(BUSY_MODES, "interrupt", {
    description: "What a message does if it arrives during a turn.",
  }),
  byPlatform: eachPlatform(
    choice(BUSY_MODES, null, { description: "The same for one platform.", fallback: "as `busy.default`" }),
  ),
  byChat: each(
    A_CHAT,
    chatNames,
    choice(BUSY_MODES, null, { description: "The same for one chat.", fallback: "as its platform" }),
  ),
  momentSeconds: number(
    0.5,
    {
      description:
        "Messages that one person sends within this time are one turn: Baton waits so long for the next one. 0 answers each by itself, except the pictures of an album.",
    },
    { min: 0, max: 10, error: "use a number of seconds from 0 to 10" },
  ),
});

export const reactions = each(
  "<emoji>",
  {
    // A bare word would match nothing.
    refuse: (name) =>
      /^(?![\w+-]+$)\S{1,64}$/u.test(name) && plainEmoji(name) !== ""
        ? null
        : "name an emoji, such as 👎, or :name:.",
  },
  text(
    {
      description:
        "What this reaction to an answer means: a command, such as `/retry`, or words that are sent to the agent.",
      fallback: "nothing",
    },
    { pattern: /^\S.{0,999}$/su, error: "give a command or a text of 1 to 1,000 characters" },
  ),
);
