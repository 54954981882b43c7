/** What follows the reason why an answer failed: what to do, where the person is. A script has no chat to say `/retry` in. */
import { AgentError } from "../agent/agent.js";

export interface Whereabouts {
  /** True if nobody is there who could say a command, as in a script. */
  readonly isUnattended?: boolean;
}

export function withCure(text: string, { isUnattended = false }: Whereabouts, error?: unknown): string {
  const wantsModel = error instanceof AgentError && error.wantsModel;
  const model = wantsModel ? ` Choose a model with ${isUnattended ? "--model" : "/model"}.` : "";
  return `${text}${model}${isUnattended ? "" : " Try again with /retry."}`;
}
