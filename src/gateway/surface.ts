/** One account of a platform, as the gateway speaks through it: what it is always, and its speaker while there is a line. */
import { type Capabilities, SendError, type Speaker } from "../adapter/adapter.js";
import { platformTraits } from "../session/platform.js";
import type { Account } from "./store.js";

export interface Surface extends Account {
  readonly capabilities: Capabilities;
  /** Null while the platform is not connected here. */
  readonly speaker: Speaker | null;
}

/** Fails with a `SendError` while there is none. */
export async function speakerOf({ speaker, platform }: Surface): Promise<Speaker> {
  if (speaker) return speaker;
  throw new SendError("retryable", `${platformTraits(platform).title} is not connected.`);
}
