// docs/commands.md: every command of a chat, from the table.
import { explanation, form } from "../src/gateway/commands/help.js";
import { commandTable } from "../src/gateway/commands/table.js";

export function commandsPage(): string {
  const table = commandTable({ agent: "", clock: () => 0 });
  const rows = table.map((command) => `| ${cell(form(command))} | ${cell(sentence(explanation(command)))} |`);
  return `${INTRODUCTION}
| command | what it does |
| --- | --- |
${rows.join("\n")}
`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

const INTRODUCTION = `<!-- Made from src/gateway/commands/ by \`npm run docs\`; change it there. -->

# Commands

These commands work in every chat and in the terminal. They act at once: \`/stop\`, \`/new\` and \`/status\` wait for nothing,
and also work while another process answers, such as a second terminal. They show and change only your own sessions, and in a group
only those of that group. A text that begins with a path, such as \`/etc/hosts is wrong\`, is a message. Nothing is deleted: Baton keeps what \`/new\`, \`/undo\`, \`/retry\` and \`/branch\` leave behind.
`;
