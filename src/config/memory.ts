/** What Baton remembers about people and group chats. */
import { choice, flag, number } from "../util/setting.js";
import { group } from "./groups.js";

export const memorySettings = group({
  summariseAt: number(
    0.7,
    {
      description:
        "From this share of the model's context window on, Baton replaces older messages by a summary for the agent. You keep every message.",
    },
    { min: 0.2, max: 0.95, error: "use a number from 0.2 to 0.95" },
  ),
  titles: choice(["model", "words", "none"], "model", {
    description:
      "Who names a new session after its first exchange: the model (first words, if there is none), its first words, or nobody.",
  }),
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
