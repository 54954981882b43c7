/** Takes on what other processes left of an account that this process serves. */
import { deliveryIdOf } from "../session/ids.js";
import { LOCAL } from "../session/platform.js";
import type { SessionScopes } from "../session/session-key.js";
import { hasLeft } from "../util/holder.js";
import type { Arrivals } from "./arrivals.js";
import type { CommandRunner } from "./command-runner.js";
import type { Common } from "./common.js";
import { quoted } from "./describe.js";
import type { LaneRunner } from "./lane-runner.js";
import type { Notices } from "./notices.js";
import { AGENT, servedAccounts, sharingTexts } from "./shared-accounts.js";
import type { Account, InboxItem } from "./store.js";
import type { Surface } from "./surface.js";
import type { Surfaces } from "./surfaces.js";

export interface RecoverySetting extends Common {
  readonly scopes: SessionScopes;
  readonly runner: LaneRunner;
  readonly commandRunner: CommandRunner;
  readonly arrivals: Arrivals;
  readonly surfaces: Surfaces;
  readonly notices: Notices;
}

export class Recovery {
  readonly #setting: RecoverySetting;
  readonly #sharingTold = new Set<string>();

  constructor(setting: RecoverySetting) {
    this.#setting = setting;
  }

  /** May be called again and again, beside other processes. */
  async takeOn(surface: Surface): Promise<void> {
    const { store, clock, holder: me, runner, commandRunner, arrivals, surfaces } = this.#setting;
    const account = { platform: surface.platform, account: surface.account };
    const isExclusive = surface.capabilities.shared !== true;
    for (const { item, holder } of await store.inbox.interruptedCommands(account)) {
      if (hasLeft(holder, me, isExclusive)) await commandRunner.interrupted(item);
    }
    if (isExclusive) await this.#tellOfSharing(account);
    for (const running of await store.turns.running(account, clock())) runner.goOnWith(running);
    const waiting = await store.inbox.waiting(account);
    const left = waiting.filter(({ holder }) => hasLeft(holder, me, isExclusive));
    for (const from of new Set(left.map(({ holder }) => holder))) await store.inbox.adopt(account, from, me);
    for (const { item, holder } of left) if (holder !== "") await this.#tellOfWaiting(item);
    if (!surfaces.of(account)?.isHeld) return; // It was lost meanwhile, and its lanes are empty.
    // This process's own, too: if it missed a commit, it does not know that it has them.
    for (const { item } of [...left, ...waiting.filter(({ holder }) => holder === me)]) {
      if (item.kind === "command") commandRunner.start(item);
      else if (!arrivals.takeOn(item)) runner.queue(item);
    }
    surfaces.wake(surface);
  }

  /** A person at a terminal did not ask just now, so they hear what is being answered. */
  async #tellOfWaiting(item: InboxItem): Promise<void> {
    const { store, notices, clock } = this.#setting;
    if (item.platform !== LOCAL || item.kind !== "message" || item.inBackground) return;
    const text = `Baton ended before I answered ${quoted(item.text)}. I answer now.`;
    await store.outbox.add(
      await notices.about(item, deliveryIdOf("inbox", item.id, "continued"), text),
      clock(),
    );
  }

  /** Says, once each, which accounts share people's conversations with this one. */
  async #tellOfSharing(account: Account): Promise<void> {
    const { store, scopes, clock, onProblem } = this.#setting;
    await store.accounts.write(account, AGENT, scopes.agent || "main");
    for (const text of sharingTexts(await servedAccounts(store.accounts, clock()))) {
      if (this.#sharingTold.has(text)) continue;
      this.#sharingTold.add(text);
      onProblem(text);
    }
  }
}
