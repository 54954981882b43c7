/**
 * The browser's outbox. What holds: a message is in the browser's database before it is sent, it leaves it only when the
 * server has confirmed it, it is always sent under the same id, and one tab at a time sends, in the order of writing.
 */
import { signal } from "@preact/signals";
import type { Said, SaidAnswer, SaidFile } from "../adapter/web/wire.js";
import { backoffMs, Pause } from "./backoff.js";
import { CallFailure, post, sentenceOf } from "./call.js";
import { onEvent } from "./events.js";
import { allKept, drop, keep } from "./kept.js";
import { randomId } from "./random-id.js";
import { inOrder, nextToSend, type Unsent, type UnsentFile } from "./unsent.js";
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
/** Written and not in the database yet. */
const saving = new Map<string, Unsent>();

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
  saving.set(item.id, item);
  unsent.value = inOrder([...unsent.value, item]);
  await save(item);
  saving.delete(item.id);
  pause.wake();
  void send();
}

/** Takes it out: it is confirmed, or the person wants it back. */
export async function cancel(item: Unsent): Promise<void> {
  unsent.value = unsent.value.filter(({ id }) => id !== item.id);
  await drop(keyOf(item));
  channel?.postMessage({ kind: "changed" } satisfies OutboxNews);
}

const keyOf = ({ identity, id }: Pick<Unsent, "identity" | "id">): string => `out/${identity}/${id}`;

async function reread(): Promise<void> {
  const found = await allKept<Unsent>(`out/${whose}/`).catch(() => unsent.value);
  const more = [...saving.values()].filter(({ id }) => !found.some((item) => item.id === id));
  unsent.value = inOrder([...found, ...more]);
}

async function save(item: Unsent): Promise<void> {
  unsent.value = unsent.value.map((each) => (each.id === item.id ? item : each));
  await keep(keyOf(item), item).catch(() => undefined); // Without a database it lasts as long as the page.
  channel?.postMessage({ kind: "changed" } satisfies OutboxNews);
}

async function send(): Promise<void> {
  if (isSending || nextToSend(unsent.value) === null) return;
  isSending = true;
  try {
    if (navigator.locks) await navigator.locks.request(`baton outbox ${whose}`, sendAll);
    else await sendAll();
  } finally {
    isSending = false;
  }
}

async function sendAll(): Promise<void> {
  let failures = 0;
  await reread();
  for (let item = nextToSend(unsent.value); item; item = nextToSend(unsent.value)) {
    const isOver = await sendOne(item);
    if (isOver === null) return;
    failures = isOver ? 0 : failures + 1;
    if (!isOver) await pause.for(backoffMs(failures, Math.random()));
  }
}

/** True if it needs no more tries, null if nobody is signed in. */
async function sendOne(first: Unsent): Promise<boolean | null> {
  let item = first;
  try {
    item = await withUploads(item);
    const { id, thread, text, files } = item;
    const named = files.map(({ ref = "", name, mediaType }): SaidFile => ({ ref, name, mediaType }));
    const said: Said = { id, thread, text, ...(named.length > 0 ? { files: named } : {}) };
    const { received } = await post<SaidAnswer>("/api/say", said);
    if (received === "refused" || received === "ignored") {
      await save({ ...item, refused: "Baton did not take this message." });
      return true;
    }
    for (const listener of accepted) listener(item);
    channel?.postMessage({ kind: "accepted", item } satisfies OutboxNews);
    await cancel(item);
    return true;
  } catch (error) {
    return failed(item, error);
  }
}

async function failed(item: Unsent, error: unknown): Promise<boolean | null> {
  if (!unsent.value.some(({ id }) => id === item.id)) return true; // It was cancelled meanwhile.
  const tried = item.tried + 1;
  if (error instanceof CallFailure && error.status === 401) return null;
  // The server forgets uploads after a day; the bytes are here.
  if (error instanceof CallFailure && error.code === "upload_gone" && item.tried < 3) {
    await save({ ...item, tried, files: item.files.map(({ ref: _, ...file }) => file) });
    return false;
  }
  const isFinal = !(error instanceof CallFailure) || error.isFinal;
  await save({ ...item, tried, refused: isFinal ? sentenceOf(error) : null });
  return isFinal;
}

async function withUploads(item: Unsent): Promise<Unsent> {
  let now = item;
  try {
    for (const [place, file] of item.files.entries()) {
      if (file.ref !== undefined) continue;
      const ref = await upload(file, (part) => {
        uploading.value = new Map(uploading.value).set(item.id, (place + part) / item.files.length);
      });
      now = { ...now, files: now.files.map((each, at) => (at === place ? { ...each, ref } : each)) };
      await save(now);
    }
  } finally {
    const left = new Map(uploading.value);
    if (left.delete(item.id)) uploading.value = left;
  }
  return now;
}
