/** Groups: what is meant for the agent, and what else it is given of what people say there. */
import { choice, number } from "../util/setting.js";
import { group } from "./groups.js";

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
});
