/** GET /api/stream: opens an event stream for whoever is signed in. */
import { randomUUID } from "node:crypto";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Later } from "../../util/later.js";
import { refused, signedOut, type WebApp, type WebContext } from "./answers.js";
import { EventStream } from "./event-stream.js";
import { headersOf } from "./headers.js";
import type { Hub } from "./hub.js";
import type { PostStore } from "./posts.js";
import { signInRequest, type WhoIsSignedIn } from "./signed-in.js";
import { chatOfIdentity } from "./web-source.js";
import { PATHS } from "./wire.js";

export interface StreamSetting {
  readonly hub: Hub;
  readonly posts: PostStore;
  readonly signedIn: WhoIsSignedIn;
  readonly later: Later;
}

const EVENTS = {
  ...headersOf(true),
  "content-type": "text/event-stream; charset=utf-8",
  // A proxy passes each event on as it comes.
  "x-accel-buffering": "no",
};

export function streamRoute(app: WebApp, setting: StreamSetting): void {
  const started = randomUUID();
  app.get(PATHS.stream, (context) => openStream(context, setting, started));
}

async function openStream(
  context: WebContext,
  { hub, posts, signedIn, later }: StreamSetting,
  started: string,
): Promise<Response> {
  const { incoming, outgoing } = context.env;
  if (incoming.method === "HEAD") return refused(405, "method_not_allowed", "There is no HEAD here.");
  const asked = signInRequest(incoming);
  const who = await signedIn(asked);
  if (!who) return signedOut();
  const after = positionIn(context.req.header("last-event-id")) ?? positionIn(context.req.query("after"));
  const chatId = chatOfIdentity(who.identity);
  const stream = new EventStream({
    output: outgoing,
    signedIn: who,
    chatId,
    posts,
    started,
    turns: () => hub.turns(chatId),
    isStillIn: async () => {
      const now = await signedIn(asked);
      return now?.device === who.device && now.identity === who.identity;
    },
    later,
    onOver: () => hub.remove(stream),
  });
  if (outgoing.destroyed) return RESPONSE_ALREADY_SENT;
  if (!hub.add(stream))
    return refused(503, "too_many_streams", "Too many pages are open. Close some, or try again later.", {
      "retry-after": "30",
    });
  outgoing.writeHead(200, EVENTS);
  outgoing.flushHeaders();
  await stream.begin(after);
  return RESPONSE_ALREADY_SENT;
}

/** Null for what is no position: then the browser has nothing that we know of, and reads what it shows anew. */
function positionIn(text: string | undefined): number | null {
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}
