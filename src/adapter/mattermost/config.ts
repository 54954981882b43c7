/** What the adapter needs to know, and how it is opened. */
import type { Adapter } from "../adapter.js";

export interface MattermostSettings {
  /** The server's address. */
  readonly url: string;
  /** Asked for at each connection. */
  readonly token: () => string;
  /** How long a call may take. */
  readonly timeoutMs?: number;
}

export async function openMattermost(settings: MattermostSettings): Promise<Adapter> {
  const { MattermostAdapter } = await import("./adapter.js");
  return new MattermostAdapter(settings);
}
