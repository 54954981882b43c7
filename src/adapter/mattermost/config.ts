/** The settings of the Mattermost adapter. */

export interface MattermostSettings {
  /** The server's address. */
  readonly url: string;
  /** Asked for at each connection. */
  readonly token: () => string;
  /** How long a call may take. */
  readonly timeoutMs?: number;
}
