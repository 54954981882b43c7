/** Receives messages, those of a chat in order: a command runs beside the turn, anything else joins its lane. */
import type { InboundMessage, Received } from "../adapter/adapter.js";
import { Intake } from "../adapter/intake.js";
import { addressOf } from "../session/source.js";
import type { Arrivals } from "./arrivals.js";
import type { CommandRunner } from "./command-runner.js";
import type { Entrance } from "./entrance.js";
import type { Lanes } from "./lanes.js";
import type { Surface } from "./surface.js";

export interface ReceptionSetting {
  readonly entrance: Entrance;
  readonly arrivals: Arrivals;
  readonly commandRunner: CommandRunner;
  readonly lanes: Lanes;
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
    const { entrance, arrivals, commandRunner, lanes } = this.#setting;
    const entered = await arrivals.receive(surface, message, () => entrance.receive(surface, message));
    if (entered.kind === "nothing") return entered.received;
    const { item } = entered;
    if (entered.kind === "amended") lanes.of(item.key).amend(item);
    else if (entered.kind === "withdrawn") lanes.of(item.key).withdraw(item);
    else if (item.kind === "command") commandRunner.start(item);
    if (entered.kind === "new")
      surface.speaker?.react?.(addressOf(item.source), item.messageId, "seen").catch(() => {});
    return "accepted";
  }
}
