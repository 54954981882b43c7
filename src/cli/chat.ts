/** `baton chat`: talk to the agent in this terminal, or send it one message from a script. */
import { type ChatFlags, mustNameOne } from "./chat-parts.js";
import type { Cli } from "./cli.js";
import { wrongUsage } from "./failure.js";

export async function chat(cli: Cli, words: readonly string[], options: ChatFlags): Promise<void> {
  const { stdin, stdout } = cli.streams;
  if (words.length > 0 || options.message !== undefined || !stdin.isTTY)
    return (await import("./ask.js")).ask(cli, words, options);
  mustNameOne(options);
  const { session, new: isNew = false } = options;
  if (options.attach) throw wrongUsage("--attach needs a message.");
  if (options.json) throw wrongUsage("--json needs a message.");
  if (options.model !== undefined)
    throw wrongUsage("--model needs a message. In a chat, choose the model with /model.");
  if (options.system !== undefined)
    throw wrongUsage("--system needs a message. For all chats, set agent.instructions.");
  if (session === false) throw wrongUsage("--no-session needs a message.");
  if (!stdout.isTTY)
    throw wrongUsage(`A chat needs a terminal. Without one, give the message: baton "your message".`);
  return (await import("./talk.js")).talk(cli, { new: isNew, ...(session === undefined ? {} : { session }) });
}
