/** A browser without a screen: a cookie, an event stream on a socket of its own, and calls. */

import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { OUR_HEADER, OUR_HEADER_VALUE, PATHS, type WireEvent } from "../src/adapter/web/wire.js";

export interface Browser {
  /** When the next event of this kind arrives. */
  next(kind: WireEvent["kind"]): Promise<number>;
  say(text: string): Promise<void>;
  get<Answer>(path: string): Promise<Answer>;
  close(): void;
}

/** Settles once the stream has begun. */
export async function openBrowser(url: string, cookie: string): Promise<Browser> {
  const agent = new Agent({ keepAlive: true });
  const waiting: { readonly kind: string; readonly resolve: (at: number) => void }[] = [];
  const headers = { cookie, [OUR_HEADER]: OUR_HEADER_VALUE };
  let begun: () => void = () => {};
  const isOpen = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const stream = request(`${url}${PATHS.stream}`, { headers, agent }, (response) => {
    if (response.statusCode !== 200) throw new Error(`The stream was refused: ${response.statusCode}.`);
    let rest = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      const at = performance.now();
      const events = (rest + text).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").find((line) => line.startsWith("data: "));
        if (data === undefined) continue;
        const { kind } = JSON.parse(data.slice("data: ".length)) as WireEvent;
        if (kind === "hello") begun();
        for (const each of waiting.splice(0)) {
          if (each.kind === kind) each.resolve(at);
          else waiting.push(each);
        }
      }
    });
  }).on("error", () => {});
  stream.end();
  await isOpen;
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    next: (kind) => new Promise((resolve) => waiting.push({ kind, resolve })),
    say: async (text) => {
      const body = JSON.stringify({
        id: randomBytes(18).toString("base64url"),
        thread: "bench-thread",
        text,
      });
      await call(PATHS.say, { method: "POST", body, headers: { "content-type": "application/json" } });
    },
    get: async <Answer>(path: string) => (await call(path)).json() as Promise<Answer>,
    close: () => stream.destroy(),
  };
}
