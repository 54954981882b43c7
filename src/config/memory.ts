/** What Baton remembers about people and group chats. */
import { flag, number } from "../util/setting.js";
import { group } from "./groups.js";

export const memorySettings = group({
  enabled: flag(true, {
    description:
      "The agent keeps notes about each person and each group chat, and sees them in every conversation with them.",
  }),
  maxCharacters: number(
    4_000,
    {
      description: "How many characters all notes about a person, or about a group chat, may have together.",
    },
    { isWhole: true, min: 500, max: 100_000, error: "use a whole number from 500 to 100000" },
  ),
});
