/** The settings of the Baileys adapter. */
export interface BaileysSettings {
  /** The account's phone number, `+15550000000`. */
  readonly number: string;
  /** Where the link to the account is kept. */
  readonly folder: string;
  /** Another server in WhatsApp's place, `http` or `https`. */
  readonly baseUrl?: string;
  /** How long WhatsApp may take to answer. */
  readonly timeoutMs?: number;
}
