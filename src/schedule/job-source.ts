/** Where the turns of a job are that has a session of its own: a place without people. */
import type { JobId } from "../session/ids.js";
import { type Platform, registerPlatform } from "../session/platform.js";
import type { SessionSource } from "../session/source.js";

export const JOBS: Platform = "job";

registerPlatform(JOBS, { title: "Scheduled job", dmPerChat: true, isInternal: true });

export function jobSource({ id, name }: { readonly id: JobId; readonly name: string }): SessionSource {
  return { platform: JOBS, chatId: id, chatName: name, chatType: "dm" };
}
