/** The settings of the Matrix adapter. */
import { createHash } from "node:crypto";
import { parsedUrl } from "../../util/parsed-url.js";

export interface MatrixSettings {
  /** The homeserver's URL, as `https://matrix.example.org`. */
  readonly homeserver: string;
  readonly accessToken: () => string;
  /** Whose token it is, `@bot:example.org`. With it, another token of the same user goes on where this one stopped. */
  readonly userId?: string;
  /** A private folder for the keys of encrypted rooms; without it those rooms are not read. */
  readonly folder?: string;
  /** How long an answer is waited for. */
  readonly timeoutMs?: number;
}

export function isAddress({ homeserver }: MatrixSettings): boolean {
  return parsedUrl(homeserver) !== null;
}

/** The user id; without one, a name for this token on this homeserver, which tells nothing of it. */
export function accountOf({ userId, homeserver, accessToken }: MatrixSettings): string {
  if (userId !== undefined) return userId;
  const digest = createHash("sha256").update(accessToken()).digest("hex").slice(0, 16);
  return `${parsedUrl(homeserver)?.host ?? homeserver}#${digest}`;
}
