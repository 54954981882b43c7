/** What a newcomer sees first: there are no sessions yet, and how to start. */
import type { Terminal } from "./terminal.js";

export function printWelcome(terminal: Terminal): void {
  const { bold, dim } = terminal.paint;
  const ways: [string, string][] = [
    ["baton", "chat with your agent in this terminal"],
    ["baton sessions import <path>", "import conversations from another tool"],
    ['import { openSessions } from "baton-gateway"', "save conversations from your own program"],
    ["baton doctor", "check the setup"],
    ["baton --help", "see every command"],
  ];
  terminal.line(bold("Welcome to Baton. There are no sessions yet."));
  terminal.line(
    "A session is one conversation with your agent. It survives restarts and moves between chat platforms.",
  );
  terminal.line("\nTo start:");
  for (const [way, purpose] of ways) terminal.line(`  ${way}\n      ${dim(purpose)}`);
}
