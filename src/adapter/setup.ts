/**
 * How a platform is set up by questions: what to do there, what is asked for, and a call that says whose it is. Each
 * adapter has its own beside it; whoever asks knows no platform.
 */

export interface PlatformSetup {
  /** What to do at the platform first, in order. */
  readonly steps: readonly string[];
  readonly fields: readonly SetupField[];
  /** A person's immutable id there. */
  readonly person: SetupId;
  /** A chat's id there. */
  readonly chat: SetupId;
  /**
   * Asks the platform, by the fields' values and by `baseUrl` where one is set. Fails with a `ConnectError`: a permanent one
   * where a value is wrong, else where nobody answers. No secret is in it.
   */
  check(values: SetupValues): Promise<SetupFound>;
}

/** By key. */
export type SetupValues = Readonly<Record<string, string>>;

export interface SetupField {
  /** Its key among the platform's settings. */
  readonly key: string;
  readonly question: string;
  /** It is not shown, and kept in a file of its own. */
  readonly isSecret?: boolean;
  /** Offered where nothing is set. */
  readonly usual?: string;
  readonly looks: RegExp;
  /** What to give, said where it does not look like one. */
  readonly hint: string;
}

interface SetupId {
  readonly looks: RegExp;
  /** Where it is found. */
  readonly hint: string;
}

export interface SetupFound {
  /** Whose it is: `@baton_bot (424242)`. */
  readonly who: string;
  /** What is left to do there. */
  readonly next: readonly string[];
}

/** How long an answer is waited for while somebody sits there. */
export const CHECK_MS = 10_000;
