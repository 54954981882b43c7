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

export function fileRoutes(app: WebApp, { posts, uploads, mediaFolder, signedIn }: FileRoutesSetting): void {
  app.put(PATHS.upload, async (context) => {
    const { incoming } = context.env;
    const who = await signedIn(signInRequest(incoming));
    if (!who) return signedOut();
    try {
      return answered(await uploads.take(who.identity, bytesOf(incoming)));
    } catch (error) {
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
    const range = context.req.header("range") ?? null;
    const sent = isName ? await sentFile({ ...file, path: join(mediaFolder, file.file) }, range) : null;
    return sent ?? refused(404, "not_found", "This file is not there any more.");
  });
}

/** As they come; an answer before the end leaves the rest to the server. */
async function* bytesOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) yield piece as Buffer;
}
