/**
 * Telegram's side of a webhook, as the Bot API documents it: `setWebhook`, `deleteWebhook`, `getWebhookInfo`, and posts
 * with the secret token. The updates of a chat are posted one after the other, those of different chats side by side. One
 * that was not answered with 2xx is posted again before those behind it: when the next one of its chat comes, when the
 * webhook is set again, and when a test says so (`again`), which stands for Telegram's pauses.
 */
import { postOnce } from "./post-once.js";

type Json = Readonly<Record<string, unknown>>;

export interface PostedUpdate {
  readonly id: number;
  readonly chat: string;
  readonly update: Json;
}

interface Source {
  /** The updates from there on, as they are delivered. */
  readonly ask: (from: number) => Promise<readonly PostedUpdate[]>;
  /** An update was answered with 2xx, or it was not. */
  readonly told: (id: number, isTaken: boolean) => void;
}

interface SetWebhook {
  readonly url: string;
  readonly secret: string | undefined;
  readonly allowed: readonly string[];
  lastErrorDate?: number;
  lastErrorMessage?: string;
}

type Answered = { readonly result: unknown } | { readonly refusal: string };

export class TelegramPosts {
  /** Where the posts to a public address arrive; null if nobody is there. */
  reach: (url: string) => string | null = () => null;
  /** Every post, with the status that it was answered with; 0 if nobody answered. */
  readonly posts: { readonly id: number; readonly status: number }[] = [];
  /** Updates that were answered with 2xx. */
  readonly taken = new Set<number>();
  readonly #source: Source;
  #webhook: SetWebhook | null = null;
  readonly #known = new Set<number>();
  readonly #queues = new Map<string, PostedUpdate[]>();
  /** The chats whose updates are being posted. */
  readonly #running = new Map<string, Promise<void>>();
  #asking: Promise<void> = Promise.resolve();
  #last: PostedUpdate | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  get isSet(): boolean {
    return this.#webhook !== null;
  }

  answer(method: string, given: Json): Answered | null {
    if (method === "setWebhook") return this.#set(given);
    if (method === "deleteWebhook") {
      this.#webhook = null;
      return { result: true };
    }
    return method === "getWebhookInfo" ? { result: this.#info() } : null;
  }

  #set(given: Json): Answered {
    const url = String(given.url ?? "");
    const secret = given.secret_token;
    if (!url.startsWith("https://"))
      return { refusal: "Bad Request: bad webhook: An HTTPS URL must be provided for webhook" };
    if (!["", "80", "88", "443", "8443"].includes(new URL(url).port))
      return { refusal: "Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443" };
    if (secret !== undefined && !/^[\w-]{1,256}$/.test(String(secret)))
      return { refusal: "Bad Request: secret token contains unallowed characters" };
    const allowed = (given.allowed_updates ?? []) as string[];
    this.#webhook = { url, secret: secret as string | undefined, allowed };
    void this.pump();
    return { result: true };
  }

  #info(): Json {
    const { url = "", lastErrorDate, lastErrorMessage } = this.#webhook ?? {};
    const waiting = [...this.#queues.values()].flat();
    return {
      url,
      has_custom_certificate: false,
      pending_update_count: waiting.length,
      ...(lastErrorMessage && { last_error_date: lastErrorDate, last_error_message: lastErrorMessage }),
    };
  }

  /** A post failed at that time, in seconds. */
  fail(at: number, words: string): void {
    if (this.#webhook) Object.assign(this.#webhook, { lastErrorDate: at, lastErrorMessage: words });
  }

  /** Posts what waits. Settles when each chat has nothing more, or its first update was not taken. */
  async pump(): Promise<void> {
    this.#asking = this.#asking.then(async () => {
      if (!this.#webhook) return;
      for (const update of await this.#source.ask(Math.max(0, ...this.#known) + 1)) this.#add(update);
    });
    await this.#asking;
    await Promise.all([...this.#queues.keys()].map((chat) => this.#run(chat)));
  }

  #add(update: PostedUpdate): void {
    this.#known.add(update.id);
    const queue = this.#queues.get(update.chat) ?? [];
    queue.push(update);
    this.#queues.set(update.chat, queue);
  }

  /** What was not taken is posted again; otherwise the last one is, as if its answer had been lost. */
  async again(): Promise<void> {
    const isWaiting = [...this.#queues.values()].some((queue) => queue.length > 0);
    if (isWaiting) await this.pump();
    else if (this.#last) await this.#post(this.#last);
  }

  /** Posts nothing more. */
  async close(): Promise<void> {
    this.#webhook = null;
    await this.#asking;
  }

  /** Somebody else posts, who may not know the secret. */
  async forge(update: Json, secret?: string): Promise<number> {
    return (await this.#send(JSON.stringify(update), secret)).status;
  }

  #run(chat: string): Promise<void> {
    const running = this.#running.get(chat) ?? this.#empty(chat).finally(() => this.#running.delete(chat));
    this.#running.set(chat, running);
    return running;
  }

  async #empty(chat: string): Promise<void> {
    const queue = this.#queues.get(chat) ?? [];
    for (let [next] = queue; next && this.#webhook; [next] = queue) {
      if (!(await this.#post(next))) {
        // Those behind it wait as well.
        for (const { id } of queue) this.#source.told(id, false);
        return;
      }
      queue.shift();
    }
  }

  async #post(update: PostedUpdate): Promise<boolean> {
    const webhook = this.#webhook;
    if (!webhook) return false;
    const [kind = ""] = Object.keys(update.update).filter((name) => name !== "update_id");
    const isWanted = webhook.allowed.length === 0 || webhook.allowed.includes(kind);
    const { status } = isWanted
      ? await this.#send(JSON.stringify(update.update), webhook.secret)
      : { status: 200 };
    this.posts.push({ id: update.id, status });
    const isTaken = status >= 200 && status < 300;
    if (isTaken) {
      this.#last = update;
      this.taken.add(update.id);
      this.#source.told(update.id, true);
    } else if (status > 0) this.fail(nowSeconds(), `Wrong response from the webhook: ${status}`);
    else this.fail(nowSeconds(), "Connection refused");
    return isTaken;
  }

  async #send(body: string, secret: string | undefined): Promise<{ readonly status: number }> {
    const at = this.#webhook && this.reach(this.#webhook.url);
    if (!at) return { status: 0 };
    const headers = {
      "content-type": "application/json",
      ...(secret === undefined ? {} : { "x-telegram-bot-api-secret-token": secret }),
    };
    return postOnce(at, headers, body).catch(() => ({ status: 0 }));
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
