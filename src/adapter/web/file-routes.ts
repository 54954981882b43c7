/** Files both ways: PUT /api/files takes one that is to be said, and a post of one's own chat gives out its files. */
import type { IncomingMessage } from "node:http";
import { basename, join } from "node:path";
import { answered, refused, signedOut, type WebApp } from "./answers.js";
import type { PostStore } from "./posts.js";
import { sentFile } from "./sent-file.js";
import { signInRequest, type WhoIsSignedIn } from "./signed-in.js";
import { UploadRefused, type Uploads } from "./uploads.js";
import { chatOfIdentity } from "./web-source.js";
import { PATHS } from "./wire.js";

export interface FileRoutesSetting {
  readonly posts: PostStore;
  readonly uploads: Uploads;
  readonly mediaFolder: string;
  readonly signedIn: WhoIsSignedIn;
}

class SignedOut extends Error {}

export function fileRoutes(app: WebApp, { posts, uploads, mediaFolder, signedIn }: FileRoutesSetting): void {
  app.put(PATHS.upload, async (context) => {
    const { incoming } = context.env;
    const whoIs = async () => (await signedIn(signInRequest(incoming)))?.identity ?? null;
    const identity = await whoIs();
    if (identity === null) return signedOut();
    try {
      const isStillIn = async () => (await whoIs()) === identity;
      return answered(await uploads.take(identity, bytesOf(incoming, isStillIn)));
    } catch (error) {
      if (error instanceof SignedOut) return signedOut();
      if (error instanceof UploadRefused) return refused(error.status, error.code, error.message);
      return refused(503, "not_saved", "Baton can't save files now. Try again in a moment.");
    }
  });

  app.get(`${PATHS.posts}/:position{[0-9]{1,15}}/files/:n{[0-9]{1,2}}`, async (context) => {
    const who = await signedIn(signInRequest(context.env.incoming));
    if (!who) return signedOut();
    const { position, n } = context.req.param();
    const post = await posts.at(chatOfIdentity(who.identity), Number(position));
    const file = post && !post.isGone ? post.files[Number(n)] : undefined;
    const isName = file !== undefined && basename(file.file) === file.file;
    const sent = isName
      ? await sentFile({ ...file, path: join(mediaFolder, file.file) }, context.req.raw)
      : null;
    return sent ?? refused(404, "not_found", "This file is not there any more.");
  });
}

/** As they come; an answer before the end leaves the rest to the server. They have no end for who was signed out meanwhile. */
async function* bytesOf(
  incoming: IncomingMessage,
  isStillIn: () => Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) yield piece as Buffer;
  if (!(await isStillIn())) throw new SignedOut();
}
