/** How Meta's posts are known: by the signature over their bytes, and once by a token, when the webhook is set up. */
import { headerIn, isSame, signatureOf, type WebhookAnswer, type WebhookOptions } from "../webhook.js";

const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

export function signedBy(appSecret: () => string): WebhookOptions["proof"] {
  return (headers) => {
    const signature = headerIn(headers, "x-hub-signature-256");
    if (!SIGNATURE.test(signature)) return null;
    return (body) => isSame(signature.slice("sha256=".length), signatureOf(appSecret(), body));
  };
}

/** The handshake: whoever knows the token gets the challenge back. */
export function challengeIn(query: URLSearchParams, verifyToken: string): WebhookAnswer | null {
  const challenge = query.get("hub.challenge") ?? "";
  const isTheirs =
    query.get("hub.mode") === "subscribe" && isSame(query.get("hub.verify_token"), verifyToken);
  return isTheirs && /^[\w-]{1,200}$/.test(challenge) ? { type: "text/plain", body: challenge } : null;
}
