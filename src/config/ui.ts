/** How the chat in the terminal looks. */
import { flag } from "../util/setting.js";
import { group } from "./groups.js";

export const uiSettings = group({
  plain: flag(false, {
    description:
      "The chat in the terminal prints plain lines one after another, and draws nothing again: for screen readers. With `TERM=dumb` it always does.",
  }),
});
