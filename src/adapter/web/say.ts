/**
 * POST /api/say: what a person writes or presses. It is answered once the gateway has saved it; anything else leaves it in
 * the browser's outbox, which sends it again under the same id.
 */
import type { Clock } from "../../util/clock.js";
import { isFields } from "../../util/json.js";
import { cleanLine, shorten, storableText } from "../../util/text.js";
import type { InboundMessage, Receive, RemoteFile } from "../adapter.js";
import { beginsCommand } from "../command-text.js";
import { boundedText } from "../inbound-limit.js";
import { answered, jsonBody, refused, signedOut, type WebApp } from "./answers.js";
import { LIMITS } from "./limits.js";
import { type SignedIn, signInRequest, type WhoIsSignedIn } from "./signed-in.js";
import type { Uploads } from "./uploads.js";
import { THREAD, webSource } from "./web-source.js";
import { PATHS, type Said, type SaidAnswer, type SaidFile } from "./wire.js";
import { withBody } from "./with-body.js";

export interface SaySetting {
  readonly receive: Receive;
  readonly signedIn: WhoIsSignedIn;
  readonly uploads: Uploads;
  readonly clock: Clock;
  readonly problem: (sentence: string) => void;
}

const ID = /^[A-Za-z0-9_-]{22,64}$/;
const REF = /^[0-9a-f-]{1,100}$/;
const MEDIA_TYPE = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/;
/** With this much of a message as JSON, its text was cut long before. */
export const LONGEST_SAID = 512 * 1024;

export function sayRoute(app: WebApp, { receive, signedIn, uploads, clock, problem }: SaySetting): void {
  app.post(PATHS.say, async (context) => {
    const at = clock();
    const asked = await withBody(
      () => signedIn(signInRequest(context.env.incoming)),
      () => jsonBody(context),
    );
    if (!asked) return signedOut();
    const { who } = asked;
    const said = parseSaid(asked.body);
    if (typeof said === "string") return refused(400, "bad_request", said);
    const files: RemoteFile[] = [];
    for (const file of said.files ?? []) {
      const remote = await uploads.remote(who.identity, file);
      if (!remote)
        return refused(409, "upload_gone", `The file ${file.name} is not there any more. Attach it again.`);
      files.push(remote);
    }
    try {
      const received = await receive(inboundOf(said, who, files));
      return answered({ received, at } satisfies SaidAnswer);
    } catch (error) {
      problem(`A message from the page could not be saved: ${(error as Error).message}`);
      return refused(503, "not_saved", "Baton can't save messages now. The page sends it again.", {
        "retry-after": "2",
      });
    }
  });
}

function inboundOf(
  said: Said,
  { identity, alias = null, name }: SignedIn,
  files: readonly RemoteFile[],
): InboundMessage {
  const { id: messageId, thread, text } = said;
  return {
    kind: kindOf(said),
    source: webSource(identity, name, thread, alias),
    messageId,
    text: boundedText(storableText(text)),
    ...(files.length > 0 ? { files } : {}),
  };
}

function kindOf({ text, press }: Said): "button" | "command" | "message" {
  if (press) return "button";
  return beginsCommand(text) ? "command" : "message";
}

/** What was said, or why it can't be that. */
export function parseSaid(body: unknown): Said | string {
  if (!isFields(body)) return "Send a JSON object.";
  const { id, thread = null, text, files = [], press } = body;
  if (typeof id !== "string" || !ID.test(id)) return "`id` must be 22 to 64 letters, digits, - or _.";
  if (thread !== null && (typeof thread !== "string" || !THREAD.test(thread)))
    return "`thread` must be null, or 8 to 64 letters, digits, - or _.";
  if (typeof text !== "string") return "`text` must be a text.";
  if (press !== undefined && press !== true) return "`press` must be true, or not there.";
  if (press && !text.startsWith("/")) return "A press sends a command.";
  if (!Array.isArray(files) || files.length > LIMITS.maxAlbum)
    return `\`files\` must be a list of at most ${LIMITS.maxAlbum}.`;
  const named = files.map(parseFile);
  if (named.includes(null)) return "Each file needs a ref, a name and a media type.";
  if (text.trim() === "" && files.length === 0) return "Write something.";
  const known = named.filter((file) => file !== null);
  return { id, thread, text, ...(known.length > 0 ? { files: known } : {}), ...(press ? { press } : {}) };
}

function parseFile(file: unknown): SaidFile | null {
  if (!isFields(file)) return null;
  const { ref, name, mediaType, voice } = file;
  if (typeof ref !== "string" || !REF.test(ref) || typeof name !== "string") return null;
  const type = typeof mediaType === "string" ? mediaType.toLowerCase().split(";")[0]?.trim() : undefined;
  return {
    ref,
    name: shorten(cleanLine(name.slice(0, 1_000)), 100) || "file",
    mediaType: type !== undefined && MEDIA_TYPE.test(type) ? type : "application/octet-stream",
    ...(voice === true ? { voice } : {}),
  };
}
