/**
 * What is said in the page. A letter is a post in the store, and then told to whoever has the page open: who opens it later
 * reads it there. Turns are shown as they run, and only there.
 */
import { createHash, randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Address, SessionSource } from "../../session/source.js";
import type { Clock } from "../../util/clock.js";
import type { Later } from "../../util/later.js";
import { cleanLine } from "../../util/text.js";
import {
  type FileReference,
  type FoundMessage,
  type Letter,
  type Line,
  type LocalFile,
  SendError,
  type Speaker,
} from "../adapter.js";
import type { LiveReply } from "../live-reply.js";
import type { Hub } from "./hub.js";
import { LIMITS } from "./limits.js";
import { LiveTurn } from "./live-turn.js";
import type { Post, PostChange, PostFile, PostStore } from "./posts.js";
import type { Uploads } from "./uploads.js";
import { identityOfChat, THREAD, webSource } from "./web-source.js";

export interface WebSpeakerSetting {
  readonly posts: PostStore;
  readonly hub: Hub;
  readonly uploads: Uploads;
  /** Where the files of letters are. */
  readonly mediaFolder: string;
  readonly knows: Line["knows"];
  readonly clock: Clock;
  readonly later: Later;
}

export class WebSpeaker implements Speaker {
  readonly #setting: WebSpeakerSetting;

  constructor(setting: WebSpeakerSetting) {
    this.#setting = setting;
  }

  async send(letter: Letter): Promise<{ readonly messageId: string }> {
    const { address, text, purpose = "reply", deliveryId, transcript = null, buttons = [] } = letter;
    const { posts, hub, clock } = this.#setting;
    const { chatId, thread } = placeOf(address);
    if (letter.isSecret) return this.#tellSecret(letter);
    const files = await Promise.all((letter.files ?? []).map((file) => this.#fileOf(file)));
    const post = { deliveryId, thread, purpose, text, buttons, files, transcript };
    const added = await saved(posts.add(chatId, post, clock()));
    hub.posted(chatId, added);
    return { messageId: added.messageId };
  }

  async edit({ address, text }: Letter, messageId: string): Promise<void> {
    const changed = await this.#change(address, messageId, { text, buttons: [] });
    if (!changed || changed.isGone)
      throw new SendError("permanent", "That message is not in the page any more.");
  }

  async remove(address: Address, messageId: string): Promise<void> {
    await this.#change(address, messageId, { isGone: true, buttons: [] });
  }

  async find({ address, deliveryId }: Letter): Promise<FoundMessage> {
    const found = await saved(this.#setting.posts.find(placeOf(address).chatId, deliveryId));
    return found ? { messageId: found.messageId } : "not there";
  }

  live(address: Address): LiveReply {
    const { hub, clock, later } = this.#setting;
    const { chatId, threadId } = address;
    const turn: LiveTurn = new LiveTurn({
      id: randomUUID(),
      thread: threadId ?? null,
      clock,
      later,
      tell: (event) => void hub.tell(chatId, event),
      onOver: () => hub.over(chatId, turn),
    });
    hub.begin(chatId, turn);
    return turn;
  }

  fetch({ ref }: FileReference, maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    return this.#setting.uploads.read(ref, maxBytes, end);
  }

  async place({ chatId, threadId }: Address): Promise<SessionSource | null> {
    const identity = identityOfChat(chatId);
    const thread = threadId ?? null;
    if (identity === null || (thread !== null && !THREAD.test(thread))) return null;
    const source = webSource(identity, null, thread);
    return (await this.#setting.knows(source)) ? source : null;
  }

  /** A thread begins to be there when something is said in it: so the same making always means the same one. */
  async createThread(
    { platform, chatId }: Address,
    _title: string,
    _person: string | null,
    once: string,
  ): Promise<Address> {
    const threadId = createHash("sha256").update(`${chatId}\n${once}`).digest("base64url").slice(0, 22);
    return { platform, chatId, threadId };
  }

  /** Only for whoever reads it now: nobody finds it later. */
  #tellSecret({ address, text, deliveryId }: Letter): { readonly messageId: string } {
    const { chatId, thread } = placeOf(address);
    if (this.#setting.hub.tell(chatId, { kind: "secret", thread, text }) > 0)
      return { messageId: deliveryId };
    throw new SendError(
      "permanent",
      "Nobody has the page open, so the secret was not shown. Open it and ask again.",
    );
  }

  async #change(address: Address, messageId: string, change: PostChange): Promise<Post | null> {
    const { posts, hub } = this.#setting;
    const { chatId } = placeOf(address);
    const changed = await saved(posts.change(chatId, messageId, change));
    if (changed) hub.posted(chatId, changed);
    return changed;
  }

  async #fileOf({ path, name, mediaType, voice }: LocalFile): Promise<PostFile> {
    const shown = cleanLine(name);
    const found = await stat(path).catch(() => null);
    if (!found?.isFile()) throw new SendError("permanent", `The file ${shown} no longer exists.`);
    if (found.size > LIMITS.maxFile)
      throw new SendError("permanent", `The file ${shown} is larger than ${LIMITS.maxFile / 2 ** 20} MB.`);
    if (dirname(path) !== this.#setting.mediaFolder)
      throw new SendError("permanent", `The file ${shown} is not in the media folder.`);
    return { file: basename(path), name: shown, mediaType, size: found.size, ...(voice ? { voice } : {}) };
  }
}

function placeOf({ chatId, threadId }: Address): { readonly chatId: string; readonly thread: string | null } {
  if (identityOfChat(chatId) === null)
    throw new SendError("permanent", `${JSON.stringify(chatId)} is nobody's chat in the page.`);
  return { chatId, thread: threadId ?? null };
}

/** Each step of the store happens once, however often it is tried. */
async function saved<Result>(step: Promise<Result>): Promise<Result> {
  try {
    return await step;
  } catch (error) {
    throw new SendError("retryable", `The page's messages can't be saved now: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
