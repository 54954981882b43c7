/** `baton completion`: a script for the shell, so that Tab knows the verbs and options. */
import type { Verb } from "../verb.js";
import { wordsOf } from "./words.js";

export type Shell = "bash" | "zsh" | "fish";

export async function completionScript(program: Verb, shell: Shell): Promise<string> {
  const write = {
    bash: async () => (await import("./bash.js")).bashCompletion,
    zsh: async () => (await import("./zsh.js")).zshCompletion,
    fish: async () => (await import("./fish.js")).fishCompletion,
  }[shell];
  return (await write())(wordsOf(program));
}
