/** Sending: how long a message waits for its platform and a handoff for a gateway, and what chats and the terminal show. */
import { flag, number } from "../util/setting.js";
import { group } from "./groups.js";
import { seconds } from "./seconds.js";

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
    description:
      "If a tool runs longer than a few seconds, the chat sees which one, and for how long. If the model's server makes Baton wait, it sees until when.",
  }),
});

export const handoff = group({
  waitSeconds: seconds(60, {
    description:
      "If no gateway has finished a handoff after this time, it fails, and the conversation stays where it is.",
  }),
});

export const uiSettings = group({
  plain: flag(false, {
    description:
      "The chat in the terminal prints plain lines one after another, and draws nothing again: for screen readers. Other commands show no progress that writes over itself. With `TERM=dumb` it always does.",
  }),
});
