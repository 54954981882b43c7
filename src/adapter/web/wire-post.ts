/** A post as the page is told of it. */
import type { Post } from "./posts.js";
import { PATHS, type WirePost } from "./wire.js";

/** What is gone says nothing any more. */
export function wirePost(post: Post): WirePost {
  const { position, messageId: id, thread, at, purpose, text, buttons, files, transcript, isGone } = post;
  const about = { position, id, thread, at, purpose, transcript, isGone };
  if (isGone) return { ...about, text: "", buttons: [], files: [] };
  return {
    ...about,
    text,
    buttons: buttons.map(({ label, command }) => ({ label, command })),
    files: files.map(({ name, mediaType, size, voice }, n) => ({
      name,
      mediaType,
      size,
      url: `${PATHS.posts}/${position}/files/${n}`,
      ...(voice ? { voice } : {}),
    })),
  };
}
