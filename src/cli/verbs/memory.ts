/** `baton memory`. */
import { whose } from "../memory/who.js";
import { EXAMPLE_IDENTITY } from "../people/who.js";
import { type Argument, JSON_FLAG, type Verb, YES_FLAG } from "../verb.js";

const WHOSE: Argument = {
  name: "[who]",
  description: `the id of a person, one of their accounts, such as ${EXAMPLE_IDENTITY}, or a group chat, such as chat:${EXAMPLE_IDENTITY}; without it, you`,
  parse: whose,
};

export const memory: Verb = {
  name: "memory",
  description: "show, edit and forget what Baton remembers about you and others",
  examples: ["memory show", "memory edit", "memory forget 17"],
  verbs: [
    {
      name: "show",
      description: "show the notes about you, or about another person or a group chat",
      args: [WHOSE],
      options: [{ flags: "--people", description: "list who has notes, and how many" }, JSON_FLAG],
      examples: ["memory show", `memory show ${EXAMPLE_IDENTITY}`, "memory show --people"],
      run: async () => (await import("../memory/show.js")).showMemory,
    },
    {
      name: "edit",
      description: "edit the notes in your editor, one note a line",
      args: [WHOSE],
      options: [JSON_FLAG],
      notes:
        "The editor is the one in VISUAL or EDITOR, or vi. A line that you leave as it is keeps its number. Without a terminal, the lines are read from stdin.",
      examples: ["memory edit", `memory edit ${EXAMPLE_IDENTITY}`],
      run: async () => (await import("../memory/edit.js")).editMemory,
    },
    {
      name: "forget",
      description: "remove notes by their numbers, or all of them",
      args: [
        {
          name: "[which...]",
          description: "whose notes, as for `memory show`, and the numbers of notes",
        },
      ],
      options: [{ flags: "--all", description: "remove all notes" }, YES_FLAG, JSON_FLAG],
      examples: ["memory forget 17 18", `memory forget ${EXAMPLE_IDENTITY} --all`],
      run: async () => (await import("../memory/forget.js")).forgetMemory,
    },
  ],
};
