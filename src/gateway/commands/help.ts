/** `/help` shows the table to people. */

import { didYouMean } from "../../util/nearest.js";
import { cleanLine, shorten } from "../../util/text.js";
import { type Command, mayRun } from "./commands.js";

export function help(table: readonly Command[]): Command {
  return {
    name: "help",
    usage: "[command]",
    description: "list the commands, or explain one",
    details: "It lists only the commands that you may use.",
    completes: async ({ who }) =>
      table
        .filter((each) => mayRun(each, who.role))
        .map(({ name, description }) => ({ text: name, description, ends: true })),
    async run({ words, who, item, gateway }) {
      const ofPlace = gateway.ownCommands(item).map((each) => ({ ...each, usage: "" }));
      const usable = [...table.filter((each) => mayRun(each, who.role)), ...ofPlace];
      if (words === "") return usable.map((each) => `- ${form(each)}: ${each.description}`).join("\n");
      const name = shorten(cleanLine(words).replace(/^\//, ""), 40).toLowerCase();
      const command = usable.find((each) => each.name === name);
      if (command) return `${form(command)}: ${explanation(command)}`;
      const known = usable.map((each) => each.name);
      return `There is no command /${name}.${didYouMean(name, known)} Send /help to list them.`;
    },
  };
}

/** How a command is written. */
export function form({ name, usage }: Pick<Command, "name" | "usage">): string {
  return `\`/${name}${usage === "" ? "" : ` ${usage}`}\``;
}

/** The description, and what else is worth knowing. */
export function explanation({ description, details }: Pick<Command, "description" | "details">): string {
  return details === undefined ? `${description}.` : `${description}. ${details}`;
}
