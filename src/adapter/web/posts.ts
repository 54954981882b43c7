/**
 * What is in the chats of the page: letters, in the order of their last change. Other platforms keep this on their
 * servers; here the store does. Each method is one atomic step. Positions are numbers of one chat, with its threads: they
 * only grow, and nothing is committed below one that was read.
 */
import type { SessionId } from "../../session/ids.js";
import type { LetterButton, Purpose } from "../adapter.js";

/** A file of the media store. */
export interface PostFile {
  /** Its name in the media store. */
  readonly file: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly voice?: true;
}

export interface NewPost {
  readonly deliveryId: string;
  readonly thread: string | null;
  readonly purpose: Purpose;
  readonly text: string;
  readonly buttons: readonly LetterButton[];
  readonly files: readonly PostFile[];
  /** The session whose transcript says the same. */
  readonly transcript: SessionId | null;
}

export interface Post extends NewPost {
  readonly messageId: string;
  readonly position: number;
  readonly at: number;
  readonly isGone: boolean;
}

/** What a change says; the rest stays as it is. */
export type PostChange = Partial<Pick<Post, "text" | "buttons" | "isGone">>;

export interface PostStore {
  /** Once for each delivery id: the post that is there already is returned as it is. */
  add(chatId: string, post: NewPost, now: number): Promise<Post>;
  /** Null if there is no such post in that chat. */
  change(chatId: string, messageId: string, change: PostChange): Promise<Post | null>;
  find(chatId: string, deliveryId: string): Promise<Post | null>;
  /** The post whose last change has that position. */
  at(chatId: string, position: number): Promise<Post | null>;
  /** Posts that changed after a position, in the order of their positions. */
  after(chatId: string, position: number, limit: number): Promise<Post[]>;
  /** The last position; 0 if there is none. */
  last(chatId: string): Promise<number>;
  /** The newest posts of a thread from that time on and before that position (null: all), oldest first; without those that are gone. */
  inThread(
    chatId: string,
    thread: string | null,
    from: number,
    before: number | null,
    limit: number,
  ): Promise<Post[]>;
}
