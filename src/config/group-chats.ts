/** Groups: what is meant for the agent, what else it is given of what people say there, and who may talk to it. */
import { choice, list, number } from "../util/setting.js";
import { each, group } from "./groups.js";
import { A_CHAT, chatNames, USER_ID } from "./names.js";

export const groupChatSettings = group({
  context: number(
    10,
    {
      description:
        "If somebody names the bot in a group, the agent also reads this many messages from before, of the last hour. 0: none.",
    },
    { isWhole: true, min: 0, max: 50, error: "use a whole number from 0 to 50" },
  ),
  contextFrom: choice(["people", "all"], "people", {
    description: "Whose messages these are: of people who have access, or of everybody in the group.",
  }),
  threads: choice(["follow", "mention"], "follow", {
    description:
      "`follow`: if you name the bot in a thread, it also answers your next messages there, until an hour after the last one. `mention`: only messages that name it.",
  }),
  byChat: each(
    A_CHAT,
    chatNames,
    group({
      answer: choice(["addressed", "all"], null, {
        description:
          "In this group: answer only messages to the bot, or every message of people who have access.",
        fallback: "as `platforms.<platform>.answer`",
      }),
      names: list(
        null,
        {
          description:
            "Words that name the bot in this group, besides a mention. Upper and lower case are the same.",
          fallback: "none",
        },
        { is: "text", pattern: /^\S(?:.{0,62}\S)?$/u, error: "give a word of 1 to 64 characters" },
      ),
      people: list(
        null,
        {
          description:
            "Only these people may talk to the agent in this group: exact, immutable user ids. Somebody without access elsewhere is a guest here.",
          fallback: "everybody who has access",
        },
        USER_ID,
      ),
    }),
  ),
});
