/** A chat in a terminal as its adapter uses it: drawn on the screen (`chat.ts`), or in plain lines (`plain-chat.ts`). */
import type { LiveReply } from "../live-reply.js";

export interface ChatView {
  /** Nothing, if it is open. */
  open(): Promise<void>;
  /** What is unfinished is printed as it stands, and the terminal is as it was. */
  close(): Promise<void>;
  readonly isOpen: boolean;
  /** A Markdown text, whole; it can be seen when this returns. `deliveryId`: the letter that says it. */
  print(text: string, deliveryId?: string): void;
  /** A plain text beside the conversation. */
  note(text: string): void;
  /** What somebody else says in this conversation. */
  overhear(text: string): void;
  /** Somebody else waits for an answer in it, or no longer does. */
  othersAtWork(isAtWork: boolean): void;
  /** A file of this machine: the picture, if the terminal can show it, and where it is. */
  file(path: string, bytes: Buffer | null, mediaType: string): void;
  /** Something that went wrong, in a sentence. */
  problem(text: string): void;
  reply(): LiveReply;
  /** Something waits or runs here until this settles. It does not reject. */
  awaits(over: Promise<void>): void;
  /** The status has changed. First called when all is said that a chat begins with. */
  redraw(): void;
  /** There may be more to complete a line with. */
  arrived(): void;
  /** As if the person wanted to go. */
  leave(): void;
}

/** Takes on what the person says and answers. Neither throws. */
export interface ChatHands {
  /** Settles when nothing waits or runs any more that came of it. */
  submit(text: string): Promise<void>;
  /** Sends the command of an answer, and tells whether it was accepted. */
  press(command: string): Promise<boolean>;
}
