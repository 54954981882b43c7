/** What the calls of the page are answered from. Everything here reads; what a person does goes through the chat. */
import type { SignedIn } from "../adapter/web/signed-in.js";
import type { WireEvent, WireTurn } from "../adapter/web/wire.js";
import type { ShownSetting } from "../config/settings.js";
import type { Command } from "../gateway/commands/commands.js";
import type { ForCommands } from "../gateway/for-commands.js";
import type { GatewayStore } from "../gateway/store.js";
import type { Sessions } from "../session/sessions.js";
import type { SessionReader } from "../session/store.js";
import type { Clock } from "../util/clock.js";
import type { Finding } from "../util/finding.js";
import type { OnProblem } from "../util/problem.js";

/** The pages that are open now: what the adapter's hub can do. */
export interface OpenPages {
  /** Who has the page open, once for each stream. */
  streams(): readonly SignedIn[];
  /** The turn that runs in a thread of that chat here, as far as it got. */
  turn(chatId: string, thread: string | null): WireTurn | null;
  /** Tells those streams; how many they are. */
  tellAll(which: (signedIn: SignedIn) => boolean, event: WireEvent): number;
  /** Signs a device out here: its streams end. */
  end(device: string): number;
  readonly size: number;
}

export interface WebSetting {
  readonly gateway: Pick<
    ForCommands,
    "people" | "allowance" | "usage" | "handoffs" | "processes" | "jobs" | "memory" | "platforms"
  >;
  readonly sessions: Sessions;
  readonly store: Pick<
    GatewayStore,
    "inbox" | "posts" | "devices" | "work" | "overview" | "deliveries" | "subscribe"
  > & { readonly reader: Pick<SessionReader, "count"> };
  readonly commands: readonly Command[];
  /** What holds now, and where it comes from. */
  readonly settings: () => readonly ShownSetting[];
  /** What `baton doctor` finds, as far as that is cheap. */
  readonly findings: () => Promise<readonly Finding[]>;
  /** The home folder, with the log. */
  readonly home: string;
  /** Takes out what looks like a secret. */
  readonly redact: (text: string) => string;
  /** Where a file of the media store is; null if its name is none. */
  readonly pathOf: (file: string) => string | null;
  /** What proxies say about who is signed in; null if none does. */
  readonly trustedHeader: TrustedHeader | null;
  /** The https address of the page if it has one: then its cookie is for https only. */
  readonly publicUrl: string | null;
  /** True if this server itself speaks TLS. */
  readonly hasTls: boolean;
  readonly version: string;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly randomBytes?: (count: number) => Uint8Array;
  readonly onProblem: OnProblem;
}

/** A header that counts only if one of these addresses has opened the connection. */
interface TrustedHeader {
  readonly name: string;
  readonly proxies: readonly string[];
}
