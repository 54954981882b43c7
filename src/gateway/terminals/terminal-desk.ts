/**
 * Which terminal is in which lane, in all processes. So no terminal changes the session under another one, and what a
 * script left that was killed is tidied up.
 */
import { terminalAccount } from "../../adapter/terminal/terminal-source.js";
import { LOCAL } from "../../session/platform.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Sessions } from "../../session/sessions.js";
import type { SessionSource } from "../../session/source.js";
import type { Clock } from "../../util/clock.js";
import { timerMs } from "../../util/timer-ms.js";
import type { GatewayStore, OpenTerminal } from "../store.js";
import { isOpen } from "./open-terminals.js";
import { UNSAVED } from "./unsaved.js";

export interface TerminalDeskSetting {
  readonly sessions: Pick<Sessions, "current" | "getOrCreate" | "update">;
  readonly store: Pick<GatewayStore, "terminals" | "inbox" | "turns">;
  readonly clock: Clock;
}

/** Longer than a process is ever busy. */
const LEASE_MS = 60_000;

type TerminalLane = Pick<OpenTerminal, "key" | "isScript" | "backTo">;

export class TerminalDesk {
  readonly #setting: TerminalDeskSetting;
  #here: { readonly holder: string; readonly lane: TerminalLane } | null = null;
  #beat: NodeJS.Timeout | undefined;

  constructor(setting: TerminalDeskSetting) {
    this.#setting = setting;
  }

  /** This process is in that lane, until it leaves. */
  async enter(holder: string, lane: TerminalLane): Promise<void> {
    this.#here = { holder, lane };
    await this.#stay();
    this.#beat = setInterval(
      () => {
        this.#stay().catch(() => {}); // The next beat tries again; until then it counts as dead at worst.
      },
      timerMs(LEASE_MS / 3),
    );
    this.#beat.unref();
  }

  /** How many other terminals are in that lane. */
  async others(key: SessionKey): Promise<number> {
    const open = await this.#setting.store.terminals.all(this.#setting.clock());
    return open.filter(
      (each) => each.key === key && isOpen(each, this.#setting.clock()) && each.holder !== this.#here?.holder,
    ).length;
  }

  /** Where the session of a lane of scripts goes back to; null if nowhere. */
  async backTo(key: SessionKey): Promise<SessionKey | null> {
    const open = await this.#setting.store.terminals.all(this.#setting.clock());
    return open.find((each) => each.key === key && each.backTo !== null)?.backTo ?? null;
  }

  /** Begins a session that goes with its script, however that ends. */
  async beginUnsaved(source: SessionSource): Promise<void> {
    const { sessions } = this.#setting;
    const { key } = await sessions.getOrCreate(source);
    await sessions.update(key, { metadata: UNSAVED }, { touch: false });
  }

  async leave(): Promise<void> {
    clearInterval(this.#beat);
    const here = this.#here;
    this.#here = null;
    if (here) await this.#setting.store.terminals.leave(here.holder, this.#setting.clock());
  }

  /** Closes what terminals left that ended without leaving. `holder` takes over what they were doing, to end it. */
  async tidy(holder: string): Promise<void> {
    const { store, clock } = this.#setting;
    for (const left of await store.terminals.all(clock())) {
      if (isOpen(left, clock())) continue;
      if (left.isScript) await this.#end(left, holder);
      await store.terminals.leave(left.holder, clock());
    }
  }

  /** Nobody reads the answer of a script that was killed: it is not asked again. */
  async #end(left: OpenTerminal, holder: string): Promise<void> {
    const { sessions, store, clock } = this.#setting;
    const entry = await sessions.current(left.key);
    const running = entry && (await store.turns.runningIn(entry.sessionId, clock()));
    if (running?.lease.holder === left.holder) {
      const taken = await store.turns.takeOver(running.turn, { holder, leaseMs: LEASE_MS }, clock());
      const nothing = { messages: [], deliveries: [], steeredIn: [] };
      if (taken) await store.turns.finish(taken, "stopped", nothing, "its script ended", clock());
    }
    const waiting = await store.inbox.waitingIn(left.key);
    for (const { id, source } of waiting) {
      await store.inbox.adopt({ platform: LOCAL, account: terminalAccount(source) }, left.holder, holder);
      await store.inbox.skip(id, holder, [], clock());
    }
  }

  async #stay(): Promise<void> {
    const { store, clock } = this.#setting;
    if (this.#here)
      await store.terminals.enter(this.#here.lane, { holder: this.#here.holder, leaseMs: LEASE_MS }, clock());
  }
}
