/** Sending: how long a message waits for a platform, and what chats see of a long turn. */
import { flag, number } from "../util/setting.js";
import { group } from "./groups.js";

export const deliverySettings = group({
  giveUpAfterDays: number(
    3,
    {
      description:
        "If a platform can't be reached, Baton tries to send a message for this many days. Then the message has failed.",
    },
    { min: 0, max: 365, error: "use a number of days from 0 to 365" },
  ),
  progress: flag(true, {
    description: "If a tool runs longer than a few seconds, the chat sees which one, and for how long.",
  }),
});
