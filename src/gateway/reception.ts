/** Receives messages, those of a chat in order: a command runs beside the turn, anything else joins its lane. */
import type { InboundMessage, Received } from "../adapter/adapter.js";
import { Intake } from "../adapter/intake.js";
import { addressOf } from "../session/source.js";
import type { Clock } from "../util/clock.js";
import type { Later } from "../util/later.js";
import type { OnProblem } from "../util/problem.js";
import type { Arrivals } from "./arrivals.js";
import { momentAfter } from "./burst.js";
import { type BusyModes, momentOf } from "./busy.js";
import type { CommandRunner } from "./command-runner.js";
import type { Entered, Entrance } from "./entrance.js";
import { tellFailed } from "./failed-answer.js";
import type { Lanes } from "./lanes.js";
import type { GatewayStore, InboxItem } from "./store.js";
import type { Surface } from "./surface.js";
import type { Surfaces } from "./surfaces.js";
import { MOMENT_MS } from "./typing.js";

export interface ReceptionSetting {
  readonly entrance: Entrance;
  readonly arrivals: Arrivals;
  readonly commandRunner: CommandRunner;
  readonly lanes: Lanes;
  readonly busy: BusyModes;
  readonly surfaces: Pick<Surfaces, "senderOf">;
  readonly store: Pick<GatewayStore, "outbox">;
  readonly clock: Clock;
  readonly later: Later;
  readonly onProblem: OnProblem;
  /** Aborted when the gateway stops. */
  readonly stopping: AbortSignal;
}

export class Reception {
  readonly #setting: ReceptionSetting;
  readonly #intake = new Intake();
  readonly #receiving = new Set<Promise<unknown>>();

  constructor(setting: ReceptionSetting) {
    this.#setting = setting;
  }

  async receive(surface: Surface, message: InboundMessage): Promise<Received> {
    if (this.#setting.stopping.aborted)
      throw new Error("The gateway is stopping and takes no more messages.");
    const { platform, account } = surface;
    const chat = JSON.stringify([platform, account, message.source.chatId]);
    const receiving = this.#intake.once(chat, () => this.#take(surface, message));
    this.#receiving.add(receiving);
    try {
      return await receiving;
    } finally {
      this.#receiving.delete(receiving);
    }
  }

  /** Waits until everything that is being received is stored. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#receiving);
  }

  async #take(surface: Surface, message: InboundMessage): Promise<Received> {
    const { arrivals, commandRunner, lanes, busy, later } = this.#setting;
    const entered = await arrivals.receive(surface, message, () => this.#enter(surface, message));
    if (entered.kind === "nothing") return entered.received;
    const { item } = entered;
    if (entered.kind === "amended") lanes.of(item.key).amend(item);
    else if (entered.kind === "withdrawn") lanes.of(item.key).withdraw(item);
    else if (item.kind === "command") commandRunner.start(item);
    else if (item.made !== "reaction")
      // There is no message of theirs that could be marked.
      later(() => this.#acknowledge(surface, item), MOMENT_MS + momentAfter(item, momentOf(busy)));
    return "accepted";
  }

  /** The chat hears first what could not be sent there, then the answer. */
  async #enter(surface: Surface, message: InboundMessage): Promise<Entered> {
    const { entrance, store, surfaces, clock, onProblem } = this.#setting;
    const entered = await entrance.receive(surface, message);
    if (entered.kind !== "new") return entered;
    await tellFailed(store.outbox, entered.item, (account) => surfaces.senderOf(account), clock()).catch(
      (cause: Error) => onProblem(`Can't tell a chat that a message failed: ${cause.message}`, { cause }),
    );
    return entered;
  }

  /**
   * A person sees that their message arrived, by one sign: typing if the platform has it and the answer is being made,
   * otherwise a mark. An answer that is there by now needs none. A message that gathered others is not one that waits.
   */
  #acknowledge({ speaker }: Surface, item: InboxItem): void {
    const { arrivals, lanes, stopping } = this.#setting;
    if (stopping.aborted || !speaker?.react) return;
    const lane = lanes.of(item.key);
    const isWaiting = arrivals.has(item) || lane.isWaiting(item);
    const isWorkedOn = lane.answering?.item.id === item.id;
    if (isWaiting || (isWorkedOn && !speaker.typing))
      speaker.react(addressOf(item.source), item.messageId, "seen").catch(() => {});
  }
}
