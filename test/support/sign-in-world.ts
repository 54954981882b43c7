/**
 * The page over a SQLite store in a file, with people who get links as `/web` makes them and a clock that the test sets. Its
 * calls are over HTTP, as a page's own script makes them; those that name an address are made by hand, as if from there.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeLink } from "../../src/gateway/web/links.js";
import { openStore } from "../../src/open-sessions.js";
import { JSON_TYPE, OF_THE_PAGE, type PageCall, PageServer, type PageServerSetting } from "./page-server.js";
import { type WebAnswer, type WebCall, webCall } from "./web-call.js";

/** Members, but for Olga, who is an owner. Mallory wants to be somebody else, or others to be her. */
export const [ANN, BOB, OLGA, MALLORY] = [
  "telegram:ann",
  "telegram:bob",
  "telegram:olga",
  "telegram:mallory",
] as const;
const PEOPLE = { owners: { telegram: ["olga"] }, allow: { telegram: ["ann", "bob", "mallory"] } };

export type Heads = Readonly<Record<string, string>>;

/** What somebody's browser sends with its calls. */
interface Asks {
  readonly cookie?: string | null;
  readonly headers?: Heads;
}

type Opened = Awaited<ReturnType<typeof openStore>>;

export class SignInWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "baton-sign-in-"));
  now = Date.UTC(2026, 0, 10, 12);
  /** Keys and tokens that were given out. */
  readonly secrets: string[] = [];
  #opened!: Opened;
  #page!: PageServer;

  static async open(): Promise<SignInWorld> {
    const world = new SignInWorld();
    await world.#begin();
    return world;
  }

  get page(): PageServer {
    return this.#page;
  }

  get store(): Opened["store"] {
    return this.#opened.store;
  }

  get sessions(): Opened["sessions"] {
    return this.#opened.sessions;
  }

  /** Another store in the same file, and the page over it. */
  async beside(): Promise<{ readonly page: PageServer; close(): Promise<void> }> {
    const { opened, page } = await this.#serve({});
    const close = async () => {
      await page.close();
      await opened.sessions.close();
    };
    return { page, close };
  }

  /** The server ends, and another one goes on with the same store. */
  async again(more: Partial<PageServerSetting> = {}): Promise<void> {
    await this.#end();
    await this.#begin(more);
  }

  async close(): Promise<void> {
    await this.#end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async linkFor(identity: string): Promise<string> {
    const link = await makeLink(
      this.store.devices,
      this.page,
      { identity, alias: null, called: null },
      this.now,
    );
    this.secrets.push(keyIn(link));
    return link;
  }

  async keyFor(identity: string): Promise<string> {
    return keyIn(await this.linkFor(identity));
  }

  call({ path, method = "GET", body }: WebCall, { cookie, headers = OF_THE_PAGE }: Asks = {}) {
    const type = body === undefined ? {} : JSON_TYPE;
    const sent = { ...(cookie ? { cookie } : {}), ...type, ...headers };
    return webCall(this.page.url, { path, method, headers: sent, ...(body === undefined ? {} : { body }) });
  }

  post(path: string, body: object, asks?: Asks): Promise<WebAnswer> {
    return this.call({ path, method: "POST", body: JSON.stringify(body) }, asks);
  }

  enter(key: unknown, asks?: Asks): Promise<WebAnswer> {
    return this.post("/api/enter", { key }, asks);
  }

  /** Says something as whoever this cookie is signed in: the status. */
  async say(cookie: string): Promise<number> {
    const said = { id: "a".repeat(22), thread: null, text: "a secret of Ann's" };
    return (await this.post("/api/say", said, { cookie })).status;
  }

  /** Signs somebody in: the cookie that their browser has then. */
  async signIn(identity: string, asks?: Asks): Promise<string> {
    const cookie = cookieSet(await this.enter(await this.keyFor(identity), asks));
    this.secrets.push(cookie.slice(cookie.indexOf("=") + 1));
    return cookie;
  }

  /** As whom a cookie is signed in; null if as nobody. */
  async whoIs(cookie: string | null, headers: Heads = {}): Promise<string | null> {
    const asks = { cookie, headers: { ...OF_THE_PAGE, ...headers } };
    return identityIn(await this.call({ path: "/api/me" }, asks));
  }

  async deviceOf(cookie: string): Promise<string> {
    return ((await this.call({ path: "/api/me" }, { cookie })).json as { device: string }).device;
  }

  async answerFrom(from: string, asked: PageCall): Promise<WebAnswer> {
    const answer = await this.page.answer({ ...asked, from });
    const text = await answer.text();
    const set = answer.headers.getSetCookie();
    const headers = { ...Object.fromEntries(answer.headers), "set-cookie": set.length > 0 ? set : undefined };
    return { status: answer.status, headers, body: Buffer.from(text), text, json: JSON.parse(text) };
  }

  enterFrom(from: string, key: unknown, more: Asks = {}): Promise<WebAnswer> {
    return this.answerFrom(from, { ...more, method: "POST", path: "/api/enter", body: { key } });
  }

  async whoIsFrom(from: string, headers: Heads, cookie: string | null = null): Promise<string | null> {
    return identityIn(await this.answerFrom(from, { path: "/api/me", headers, cookie }));
  }

  /** What is in the files, once nobody has them open. */
  async written(): Promise<readonly string[]> {
    await this.#end();
    const written = filesIn(this.folder).map((path) => readFileSync(path).toString("latin1"));
    await this.#begin();
    return written;
  }

  async #begin(more: Partial<PageServerSetting> = {}): Promise<void> {
    const { opened, page } = await this.#serve(more);
    this.#opened = opened;
    this.#page = page;
  }

  async #serve(more: Partial<PageServerSetting>) {
    const { folder } = this;
    const clock = () => this.now;
    const opened = await openStore({ url: join(folder, "baton.db"), clock });
    const gateway = { people: PEOPLE };
    return { opened, page: await PageServer.open({ folder, ...opened, clock, gateway, ...more }) };
  }

  async #end(): Promise<void> {
    await this.page.close();
    await this.#opened.sessions.close();
  }
}

export function keyIn(link: string): string {
  return new URL(link).hash.slice("#key=".length);
}

/** The `name=value` that an answer sets. */
export function cookieSet({ headers }: Pick<WebAnswer, "headers">): string {
  const [set, ...more] = headers["set-cookie"] ?? [];
  if (set === undefined || more.length > 0) throw new Error("It sets no cookie, or several.");
  return set.split(";")[0] ?? "";
}

export function codeOf({ json }: Pick<WebAnswer, "json">): unknown {
  return (json as { error?: { code?: string } } | undefined)?.error?.code;
}

function identityIn({ status, json, text }: WebAnswer): string | null {
  if (status === 401) return null;
  if (status !== 200) throw new Error(`${status} ${text}`);
  return (json as { identity: string }).identity;
}

function filesIn(place: string): string[] {
  return readdirSync(place).flatMap((name) => {
    const path = join(place, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}
