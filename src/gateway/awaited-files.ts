/**
 * Files that are not here yet when their message is stored. The message says that they are missing, and beside it is
 * stored how to fetch them. So the next process fetches them if this one ends before they are here.
 */
import type { FileReference, RemoteFile, Speaker } from "../adapter/adapter.js";
import { notYetTaken } from "./media.js";
import type { Account, Inbox, InboxItem, NewInboxItem } from "./store.js";

/** So many processes try to fetch the files of a message: a file that ends each of them must not end all that follow. */
const MOST_TRIES = 3;
/** How long a conversation that was moved waits for the platform that has its files. */
const ELSEWHERE_MS = 60_000;

/** What is stored of a message's files before they are here. Without references, nobody can fetch them again. */
export function notHereYet(
  { platform, account }: Account,
  remote: readonly RemoteFile[],
): Pick<NewInboxItem, "missing" | "awaited"> {
  if (remote.length === 0) return {};
  const missing = notYetTaken(remote);
  const files = remote.flatMap(referenceTo);
  return files.length < remote.length
    ? { missing }
    : { missing, awaited: { platform, account, files, tries: 1 } };
}

function referenceTo({ ref, name, mediaType, voice, answered }: RemoteFile): FileReference[] {
  if (ref === undefined) return [];
  return [
    {
      ref,
      ...(name === undefined ? {} : { name }),
      mediaType,
      ...(voice ? { voice } : {}),
      ...(answered ? { answered } : {}),
    },
  ];
}

/** What it takes to fetch the files of a message that another process left. */
export interface AwaitedSetting {
  readonly inbox: Pick<Inbox, "fetching">;
  /** The speaker of an account, once it is connected; null if this process does not serve it, or `end` comes first. */
  readonly reach: (account: Account, end: AbortSignal) => Promise<Speaker | null>;
  readonly holder: string;
}

/** The files that a message of another process awaits, to be fetched here; null if nobody can fetch them any more. */
export async function filesLeft(
  { inbox, reach, holder }: AwaitedSetting,
  item: InboxItem,
  end: AbortSignal,
): Promise<readonly RemoteFile[] | null> {
  const { awaited } = item;
  if (!awaited) return null;
  const isHere = awaited.platform === item.platform && awaited.account === item.account;
  // Without its platform, nobody can be answered either. A conversation that moved does not wait for the old one.
  const patient = isHere ? end : AbortSignal.any([end, AbortSignal.timeout(ELSEWHERE_MS)]);
  const speaker = await reach(awaited, patient);
  if (!speaker?.fetch) return null;
  const begun = await inbox.fetching(item.id, holder);
  if (!begun || begun.tries > MOST_TRIES) return null;
  return begun.files.map((file) => ({
    ...file,
    read: async (maxBytes, stop) => {
      const bytes = await speaker.fetch?.(file, maxBytes, stop);
      if (!bytes) throw new Error("it cannot be fetched again");
      return bytes;
    },
  }));
}
