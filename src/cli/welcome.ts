/** The first lines a newcomer sees: nothing is there yet, and this is how to begin. */
import type { Terminal } from "./terminal.js";

export function printWelcome(terminal: Terminal): void {
  const { bold, dim } = terminal.paint;
  const ways: [string, string][] = [
    ["baton", "talk to your agent, here in the terminal"],
    ["baton sessions import <path>", "bring in conversations of another tool"],
    ['import { openSessions } from "baton-gateway"', "keep an agent's conversations from your own program"],
    ["baton doctor", "check that all is well on this machine"],
    ["baton --help", "see every command"],
  ];
  terminal.line(bold("Welcome to Baton. There are no sessions yet."));
  terminal.line("A session is one conversation with your agent, kept across restarts and chat platforms.");
  terminal.line("\nTo begin:");
  for (const [way, purpose] of ways) terminal.line(`  ${way}\n      ${dim(purpose)}`);
}
