/**
 * The browser's outbox. What holds: a message is in the browser's database before it is sent, it leaves it only when the
 * server has confirmed it or the person takes it back, it is always sent under the same id, and one tab at a time sends, in
 * the order of writing. What was taken back, in whichever tab, is not sent: and while it is being sent, nobody takes it back.
 */
import { signal } from "@preact/signals";
import type { Said, SaidAnswer, SaidFile } from "../adapter/web/wire.js";
import { backoffMs, Pause } from "./backoff.js";
import { CallFailure, post, sentenceOf } from "./call.js";
import { onEvent } from "./events.js";
import { ifFree, whileHeld } from "./hold.js";
import { allKept, drop, keep, kept, replace } from "./kept.js";
import { randomId } from "./random-id.js";
import { inOrder, nextToSend, serverTime, type Unsent, type UnsentFile } from "./unsent.js";
import { upload } from "./upload.js";

type OutboxNews = { readonly kind: "changed" } | { readonly kind: "accepted"; readonly item: Unsent };

/** Of whoever is signed in, in order. */
export const unsent = signal<readonly Unsent[]>([]);
/** How much of its files is uploaded, from 0 to 1, by the id of the message. */
export const uploading = signal<ReadonlyMap<string, number>>(new Map());

const accepted = new Set<(item: Unsent) => void>();
const pause = new Pause();
let whose = "";
let channel: BroadcastChannel | null = null;
let isSending = false;
/** Written and not in the database: not yet, or because it has no room. These last as long as the page. */
const unsaved = new Map<string, Unsent>();

/** Told when the server has confirmed one, in whichever tab. */
export function onAccepted(listener: (item: Unsent) => void): () => void {
  accepted.add(listener);
  return () => void accepted.delete(listener);
}

export async function openOutbox(identity: string): Promise<void> {
  whose = identity;
  channel = new BroadcastChannel(`baton outbox ${identity}`);
  channel.onmessage = ({ data }: MessageEvent<OutboxNews>) => {
    if (data.kind === "accepted") for (const listener of accepted) listener(data.item);
    void reread();
  };
  onEvent(({ kind }) => {
    if (kind !== "hello" && kind !== "resync") return;
    pause.wake();
    void send();
  });
  await reread();
  void send();
}

export async function write(
  message: Pick<Unsent, "thread" | "text" | "after"> & { readonly files: readonly UnsentFile[] },
): Promise<void> {
  const last = unsent.value.at(-1)?.order ?? 0;
  const at = Date.now();
  const rest = { identity: whose, at, order: Math.max(at, last + 1), tried: 0, refused: null };
  const item: Unsent = { ...message, ...rest, id: randomId() };
  unsaved.set(item.id, item);
  unsent.value = inOrder([...unsent.value, item]);
  await keep(keyOf(item), item).then(
    () => unsaved.delete(item.id),
    () => false,
  );
  tellTabs({ kind: "changed" });
  pause.wake();
  void send();
}

/** Takes it back for the person. `sending`: Baton may be accepting it now. `gone`: it was accepted, or taken back elsewhere. */
export async function takeBack(item: Unsent): Promise<"taken" | "sending" | "gone"> {
  const taken = await ifFree(callOf(item), async () => {
    if (!(await isWanted(item))) return "gone";
    await takeOut(item);
    return "taken";
  });
  return taken ?? "sending";
}

const keyOf = ({ identity, id }: Pick<Unsent, "identity" | "id">): string => `out/${identity}/${id}`;
/** Held while it is being sent, and while it is taken back. */
const callOf = (item: Unsent): string => `baton ${keyOf(item)}`;

/** It is confirmed, or the person wants it back. */
async function takeOut(item: Unsent): Promise<void> {
  const isSaved = !unsaved.delete(item.id);
  // What is read meanwhile still has it: so it goes from the list at the end.
  await drop(keyOf(item)).catch((error: unknown) => {
    if (isSaved) throw error;
  });
  unlist(item);
  tellTabs({ kind: "changed" });
}

/** False if it was taken out, in whichever tab: then it goes from the list, too. */
async function isWanted(item: Unsent): Promise<boolean> {
  if (unsaved.has(item.id)) return true;
  const isThere = await kept(keyOf(item)).then(
    (found) => found !== undefined,
    () => isListed(item),
  );
  if (!isThere) unlist(item);
  return isThere;
}

function isListed(item: Unsent): boolean {
  return unsent.value.some(({ id }) => id === item.id);
}

function unlist(item: Unsent): void {
  unsent.value = unsent.value.filter(({ id }) => id !== item.id);
}

async function reread(): Promise<void> {
  const found = await allKept<Unsent>(`out/${whose}/`).catch(() => unsent.value);
  const more = [...unsaved.values()].filter(({ id }) => !found.some((item) => item.id === id));
  unsent.value = inOrder([...found, ...more]);
}

/** Its state is another one now; nothing if it was taken out meanwhile. */
async function update(item: Unsent): Promise<void> {
  if (unsaved.has(item.id)) unsaved.set(item.id, item);
  else if (!(await replace(keyOf(item), item).catch(() => isListed(item)))) return;
  unsent.value = unsent.value.map((each) => (each.id === item.id ? item : each));
  tellTabs({ kind: "changed" });
}

function tellTabs(news: OutboxNews): void {
  channel?.postMessage(news);
}

async function send(): Promise<void> {
  if (isSending || nextToSend(unsent.value) === null) return;
  isSending = true;
  let isOut = false;
  try {
    isOut = await whileHeld(`baton outbox ${whose}`, sendAll);
  } finally {
    isSending = false;
  }
  if (!isOut) void send(); // Something may have been written while the lock was given back.
}

/** True if nobody is signed in any more. */
async function sendAll(): Promise<boolean> {
  let failures = 0;
  await reread();
  for (let item = nextToSend(unsent.value); item; item = nextToSend(unsent.value)) {
    const isOver = await sendOne(item);
    if (isOver === null) return true;
    failures = isOver ? 0 : failures + 1;
    if (!isOver) await pause.for(backoffMs(failures, Math.random()));
  }
  return false;
}

/** True if it needs no more tries, null if nobody is signed in. */
async function sendOne(first: Unsent): Promise<boolean | null> {
  let item = first;
  try {
    item = await withUploads(item);
    return await whileHeld(callOf(item), () => say(item));
  } catch (error) {
    return failed(item, error);
  }
}

async function say(item: Unsent): Promise<true> {
  if (!(await isWanted(item))) return true;
  const { id, thread, text, files } = item;
  const named = files.map(({ ref = "", name, mediaType }): SaidFile => ({ ref, name, mediaType }));
  const said: Said = { id, thread, text, ...(named.length > 0 ? { files: named } : {}) };
  const sentAt = Date.now();
  const { received, at } = await post<SaidAnswer>("/api/say", said);
  if (received === "refused" || received === "ignored") {
    await update({ ...item, refused: "Baton did not take this message." });
    return true;
  }
  const confirmed = { ...item, at: serverTime(item.at, { here: sentAt, there: at }) };
  for (const listener of accepted) listener(confirmed);
  tellTabs({ kind: "accepted", item: confirmed });
  await takeOut(item);
  return true;
}

async function failed(item: Unsent, error: unknown): Promise<boolean | null> {
  if (!(await isWanted(item))) return true;
  const tried = item.tried + 1;
  if (error instanceof CallFailure && error.status === 401) return null;
  // The server forgets uploads after a day; the bytes are here.
  if (error instanceof CallFailure && error.code === "upload_gone" && item.tried < 3) {
    await update({ ...item, tried, files: item.files.map(({ ref: _, ...file }) => file) });
    return false;
  }
  const isFinal = !(error instanceof CallFailure) || error.isFinal;
  await update({ ...item, tried, refused: isFinal ? sentenceOf(error) : null });
  return isFinal;
}

async function withUploads(item: Unsent): Promise<Unsent> {
  let now = item;
  try {
    for (const [place, file] of item.files.entries()) {
      if (file.ref !== undefined || !(await isWanted(item))) continue;
      const ref = await upload(file, (part) => {
        uploading.value = new Map(uploading.value).set(item.id, (place + part) / item.files.length);
      });
      now = { ...now, files: now.files.map((each, at) => (at === place ? { ...each, ref } : each)) };
      await update(now);
    }
  } finally {
    const left = new Map(uploading.value);
    if (left.delete(item.id)) uploading.value = left;
  }
  return now;
}
