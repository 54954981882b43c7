/**
 * GET /api/conversations/:id/messages/:seq/files/:n: a file that came with a message, for whoever may see the conversation.
 * It is found by the message and its place in it: no name of a file comes from a request.
 */
import { stat } from "node:fs/promises";
import { sentFile } from "../adapter/web/sent-file.js";
import { attachmentsOf } from "../session/attachments.js";
import type { SessionId } from "../session/ids.js";
import type { StoredMessage } from "../session/transcript.js";
import { notFound, type WebAsking } from "./asking.js";
import type { Routes } from "./routes.js";
import type { WebSetting } from "./setting.js";

type PathOf = WebSetting["pathOf"];

export function messageFileRoutes(routes: Routes, { pathOf }: Pick<WebSetting, "pathOf">): void {
  routes.get("/api/conversations/:id/messages/:seq{[0-9]{1,9}}/files/:n{[0-9]{1,2}}", (asking) =>
    fileOf(asking, pathOf),
  );
}

async function fileOf({ view, part, request }: WebAsking, pathOf: PathOf): Promise<Response> {
  const seq = Number(part("seq"));
  const wish = { side: "after", seq: seq - 1, limit: 1 } as const;
  const [message] = await view.part(part("id") as SessionId, wish);
  const attachment = message?.seq === seq ? attachmentsOf(message)[Number(part("n"))] : undefined;
  const path = attachment ? pathOf(attachment.file) : null;
  if (!attachment || path === null) throw notFound();
  const { name = "file", mediaType } = attachment;
  const sent = await sentFile({ path, name, mediaType }, request);
  if (!sent) throw notFound();
  return sent;
}

/** Where the files of these messages are fetched; null for those that are not there any more. */
export async function fileUrls(
  sessionId: SessionId,
  messages: readonly StoredMessage[],
  pathOf: PathOf,
): Promise<ReadonlyMap<number, readonly (string | null)[]>> {
  const withFiles = messages.filter((message) => attachmentsOf(message).length > 0);
  const urls = withFiles.map(async (message) => {
    const isThere = await Promise.all(attachmentsOf(message).map(({ file }) => exists(pathOf(file))));
    const files = `/api/conversations/${encodeURIComponent(sessionId)}/messages/${message.seq}/files`;
    return [message.seq, isThere.map((found, n) => (found ? `${files}/${n}` : null))] as const;
  });
  return new Map(await Promise.all(urls));
}

async function exists(path: string | null): Promise<boolean> {
  if (path === null) return false;
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
