/** The settings of the Signal adapter. */

export interface SignalSettings {
  /** Where signal-cli's daemon listens: `http://…`, or `unix:/path` of its socket. */
  readonly baseUrl: string;
  /** The number it is registered with, `+15550000000`. */
  readonly account: string;
  /** Answer what the account's owner writes to themselves. */
  readonly noteToSelf?: boolean;
  /** How long one call may take. */
  readonly timeoutMs?: number;
  /** After how long a daemon that gave signs of life on its stream of events is taken for gone. */
  readonly silenceMs?: number;
}
