/** What somebody has in the page: a browser in which they are signed in, links, and posts in their chats there. */
import type { GatewayStore } from "../gateway/store.js";
import type { SessionId } from "../session/ids.js";
import { platforms, platformTraits } from "../session/platform.js";

interface PagePerson {
  readonly identity: string;
  /** Everything of theirs has it. */
  readonly word: string;
  /** The session that some of their posts are of. */
  readonly sessionId: SessionId;
  readonly file: string | null;
}

/** The ids of the chats that somebody has where people sign in. */
export function chatsSignedIn(identity: string): string[] {
  return platforms().flatMap((name) => platformTraits(name).chatOf?.(identity) ?? []);
}

export async function fillPage(
  { devices, posts }: Pick<GatewayStore, "devices" | "posts">,
  { identity, word, sessionId, file }: PagePerson,
  now: number,
): Promise<void> {
  const whose = { identity, alias: null, called: word };
  const device = { id: `device of ${word}`, name: `${word} browser`, tokenHash: `token of ${word}` };
  await devices.offer(`link of ${word}`, whose, now + 1, now);
  await devices.enter(`link of ${word}`, device, now);
  await devices.offer(`another link of ${word}`, whose, now + 1, now);
  for (const chatId of chatsSignedIn(identity))
    for (const transcript of [null, sessionId])
      await posts.add(
        chatId,
        {
          deliveryId: `${word} ${transcript}`,
          thread: `${word}-thread`,
          purpose: "reply",
          text: `${word}-post`,
          buttons: [{ label: "Yes", command: `/${word}-button` }],
          files: file === null ? [] : [{ file, name: `${word}.png`, mediaType: "image/png", size: 1 }],
          transcript,
        },
        now,
      );
}
