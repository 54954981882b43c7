/** The settings of the Matrix adapter. */

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
