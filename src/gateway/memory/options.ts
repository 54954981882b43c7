/** What a gateway needs to remember people. */
export interface GatewayMemory {
  /** How many characters all notes about a person, or about a group chat, may have together. */
  readonly maxCharacters: number;
  /** False if notes are only read: then neither the agent nor a summary adds one. Default true. */
  readonly learns?: boolean;
}
