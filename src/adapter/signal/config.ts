/** What the Signal adapter is told, and the way to it: nothing of it is loaded before it is asked for. */
import type { Adapter } from "../adapter.js";

export interface SignalSettings {
  /** Where signal-cli's daemon listens: `http://…`, or `unix:/path` of its socket. */
  readonly baseUrl: string;
  /** The number it is registered with, `+15550000000`. */
  readonly account: string;
  /** How long one call may take. */
  readonly timeoutMs?: number;
}

export async function openSignal(settings: SignalSettings): Promise<Adapter> {
  const { SignalAdapter } = await import("./adapter.js");
  return new SignalAdapter(settings);
}
