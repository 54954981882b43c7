/**
 * Signing in and out. A link has its key in the fragment, which no server is ever sent; it is taken out of the address before
 * anything else happens. When nobody is signed in any more, the page is loaded anew: then nothing is left of what it showed.
 */
import { signal } from "@preact/signals";
import type { WireMe } from "../web/wire.js";
import { CallFailure, get, onSignedOut, post, sentenceOf } from "./call.js";
import { forgetDrafts } from "./drafts.js";
import { onEvent } from "./events.js";
import { closeLine, openLine } from "./line.js";
import { me } from "./me.js";
import { openOutbox } from "./outbox.js";

export type EntranceState =
  | { readonly kind: "asking" }
  | { readonly kind: "in" }
  /** `why`: null if there is nothing to say but how to sign in. */
  | { readonly kind: "out"; readonly why: string | null; readonly mayTryAgain: boolean };

export const entrance = signal<EntranceState>({ kind: "asking" });

/** Survives the loading of the page, and no more. */
const WHY_OUT = "baton.out";
const KEY = "#key=";

export async function enter(): Promise<void> {
  const key = location.hash.startsWith(KEY) ? location.hash.slice(KEY.length) : null;
  if (key !== null) history.replaceState(null, "", `${location.pathname}${location.search}`);
  entrance.value = { kind: "asking" };
  try {
    if (key !== null) await post("/api/enter", { key });
    const read = await get<WireMe>("/api/me");
    await begin(read);
  } catch (error) {
    entrance.value = refusal(error, key !== null);
  }
}

/** A link that is pasted into an open page changes nothing but the fragment: it is followed as if the page were loaded with it. */
export function followPastedLinks(): void {
  addEventListener("hashchange", () => {
    if (location.hash.startsWith(KEY)) location.reload();
  });
}

function refusal(error: unknown, hadKey: boolean): EntranceState {
  const why = sessionStorage.getItem(WHY_OUT);
  sessionStorage.removeItem(WHY_OUT);
  if (error instanceof CallFailure && error.isFinal)
    return { kind: "out", why: hadKey ? linkProblem(error) : why, mayTryAgain: false };
  return { kind: "out", why: sentenceOf(error), mayTryAgain: true };
}

function linkProblem({ status, message }: CallFailure): string {
  return status === 401 ? "This link was used already, or it is too old. Ask for a new one." : message;
}

async function begin(read: WireMe): Promise<void> {
  onSignedOut(() => out("You were signed out on this device."));
  onEvent((event) => {
    if (event.kind === "out") out("You were signed out on this device.");
  });
  me.value = read;
  entrance.value = { kind: "in" };
  openLine(read.identity);
  await openOutbox(read.identity).catch(() => undefined);
}

export async function leave(): Promise<void> {
  await post("/api/leave", {});
  out(null);
}

let isOut = false;

function out(why: string | null): void {
  if (isOut) return;
  isOut = true;
  closeLine();
  forgetDrafts();
  if (why !== null) sessionStorage.setItem(WHY_OUT, why);
  me.value = null;
  entrance.value = { kind: "asking" };
  location.replace("/");
}
