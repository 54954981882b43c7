/** The settings of the WhatsApp adapter. */
import type { WebhookPlace } from "../webhook.js";

export interface WhatsAppSettings {
  /** The id of our number at Meta, not the number. */
  readonly phoneNumberId: string;
  readonly accessToken: () => string;
  /** What Meta signs with. */
  readonly appSecret: () => string;
  /** What Meta shows once, when the webhook is set up. */
  readonly verifyToken: () => string;
  readonly webhook?: WebhookPlace;
  readonly baseUrl?: string;
  readonly graphVersion?: string;
  /** How long one call may take. */
  readonly timeoutMs?: number;
  /** How long the webhook may take to tell of a message that nobody confirmed; as long as a call unless told. */
  readonly toldMs?: number;
}
