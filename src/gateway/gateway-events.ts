/** What a gateway tells the program around it, and asks of it. */
import type { Handoff } from "../session/handoff.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionKey } from "../session/session-key.js";

export interface GatewayEvents {
  /** Called with each handoff that was asked for here, as it goes on. */
  readonly onHandoff?: (handoff: Handoff) => void;
  /** Called once with each conversation that is offered to the terminal, in words. */
  readonly onOffer?: (text: string) => void;
  /** Called again and again while another process answers in the session of this lane, and a message waits for that. */
  readonly onElsewhere?: (key: SessionKey) => void;
  /**
   * Asked before a command changes which session a lane has. If others are in the lane, it opens the session elsewhere
   * and gives the reply; null if the lane may change. Without it, every command may change its lane.
   */
  readonly beside?: (wish: SessionWish) => Promise<string | null>;
}

/** Another session that a command wants in a lane. */
export type SessionWish =
  | { readonly kind: "new"; readonly title: string | null }
  | { readonly kind: "session"; readonly entry: SessionEntry };
