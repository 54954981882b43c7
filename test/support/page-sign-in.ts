/** Somebody without a browser who signs in by a link, and then makes calls as a page's own script makes them. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { PATHS } from "../../src/adapter/web/wire.js";
import { JSON_TYPE, OF_THE_PAGE } from "./page-server.js";
import { codeOf, cookieSet, keyIn } from "./sign-in-world.js";
import { type WebAnswer, webCall, webResponse } from "./web-call.js";

export interface SignedInPage {
  /** As whom, and with which role. */
  readonly me: { readonly identity: string; readonly role: string; readonly device: string };
  get(path: string): Promise<WebAnswer>;
  post(path: string, body: object): Promise<WebAnswer>;
  /** Says something in the main chat. */
  say(text: string): Promise<WebAnswer>;
  listen(): Promise<HeardEvents>;
}

/** What comes to an open page. */
interface HeardEvents {
  readonly text: string;
  until(holds: (text: string) => boolean): Promise<void>;
  close(): void;
}

/** Exchanges a link for a cookie: the status of the answer, and its code if it is refused. */
export async function enterBy(link: string): Promise<WebAnswer & { readonly outcome: unknown }> {
  const body = JSON.stringify({ key: keyIn(link) });
  const headers = { ...OF_THE_PAGE, ...JSON_TYPE };
  const answer = await webCall(link, { method: "POST", path: "/api/enter", headers, body });
  return { ...answer, outcome: answer.status === 200 ? 200 : codeOf(answer) };
}

export async function signInBy(link: string): Promise<SignedInPage> {
  const headers = { ...OF_THE_PAGE, ...JSON_TYPE, cookie: cookieSet(await enterBy(link)) };
  const get: SignedInPage["get"] = (path) => webCall(link, { path, headers });
  const me = (await get("/api/me")).json as SignedInPage["me"];
  const post: SignedInPage["post"] = (path, body) =>
    webCall(link, { method: "POST", path, headers, body: JSON.stringify(body) });
  const say: SignedInPage["say"] = (text) =>
    post(PATHS.say, { id: randomBytes(16).toString("base64url"), thread: null, text });
  return { me, get, post, say, listen: () => listen(link, headers) };
}

async function listen(url: string, headers: Readonly<Record<string, string>>): Promise<HeardEvents> {
  const incoming = await webResponse(url, { path: PATHS.stream, headers });
  let text = "";
  incoming.setEncoding("utf8").on("error", () => {});
  incoming.on("data", (piece: string) => {
    text += piece;
  });
  return {
    get text() {
      return text;
    },
    until: async (holds) => {
      while (!holds(text)) await once(incoming, "data");
    },
    close: () => incoming.destroy(),
  };
}
