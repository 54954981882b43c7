/** An adapter whose line is kept up as the gateway keeps it, so that a test can connect it, speak and disconnect it. */
import type {
  Adapter,
  Capabilities,
  ConnectError,
  Line,
  Memory,
  Receive,
  Speaker,
} from "../adapter/adapter.js";
import { LineKeeper } from "../gateway/line-keeper.js";
import { type Surface, speakerOf } from "../gateway/surface.js";
import type { Platform } from "../session/platform.js";

/** What became of a line after the first: it is lost, there again, or will not come back. */
export type LineNews = "connected" | { readonly lost: string } | { readonly failed: string };

/** What a line is given beside `receive`; what is left out does nothing. */
export interface KeptSetting
  extends Partial<Pick<Line, "memory" | "commands" | "reactions" | "knows" | "problem">> {
  readonly tell?: (told: LineNews) => void;
}

type Say<Name extends keyof Speaker> = NonNullable<Speaker[Name]>;

export class KeptAdapter<Kind extends Adapter = Adapter> implements Surface {
  readonly adapter: Kind;
  #keeper: LineKeeper | null = null;

  constructor(adapter: Kind) {
    this.adapter = adapter;
  }

  get platform(): Platform {
    return this.adapter.platform;
  }

  get account(): string {
    return this.adapter.account;
  }

  get capabilities(): Capabilities {
    return this.adapter.capabilities;
  }

  get speaker(): Speaker | null {
    return this.#keeper?.speaker ?? null;
  }

  /** Settles when the first line is up; fails as it failed. From then on lines are kept up. */
  async connect(receive: Receive = async () => "accepted", setting: KeptSetting = {}): Promise<void> {
    await this.disconnect();
    const { tell = () => {}, memory = memoryOf(new Map()), commands = [], reactions = false } = setting;
    const { knows = async () => true, problem = () => {} } = setting;
    let first: ConnectError | "up" | null = null;
    let lost: string | null = null;
    const keeper = new LineKeeper({
      adapter: this.adapter,
      given: { receive, memory, commands, reactions, knows, problem },
      onUp: () => {
        if (lost !== null) tell("connected");
        lost = null;
        first = "up";
      },
      onDown: (error) => {
        first ??= error;
        const { message, outcome } = error;
        if (first !== "up") return;
        if (outcome === "permanent") tell({ failed: message });
        else if (lost !== message) tell({ lost: message });
        lost = message;
      },
    });
    this.#keeper = keeper;
    await keeper.start();
    if (first === "up") return;
    await this.disconnect();
    throw first ?? new Error("It was disconnected before it was connected.");
  }

  async disconnect(): Promise<void> {
    const keeper = this.#keeper;
    this.#keeper = null;
    await keeper?.stop();
  }

  readonly send: Say<"send"> = async (...call) => (await this.#ability("send"))(...call);
  readonly edit: Say<"edit"> = async (...call) => (await this.#ability("edit"))(...call);
  readonly remove: Say<"remove"> = async (...call) => (await this.#ability("remove"))(...call);
  readonly draft: Say<"draft"> = async (...call) => (await this.#ability("draft"))(...call);
  readonly status: Say<"status"> = async (...call) => (await this.#ability("status"))(...call);
  readonly find: Say<"find"> = async (...call) => (await this.#ability("find"))(...call);
  readonly typing: Say<"typing"> = async (...call) => (await this.#ability("typing"))(...call);
  readonly react: Say<"react"> = async (...call) => (await this.#ability("react"))(...call);
  readonly place: Say<"place"> = async (...call) => (await this.#ability("place"))(...call);
  readonly createThread: Say<"createThread"> = async (...call) =>
    (await this.#ability("createThread"))(...call);

  async #ability<Name extends keyof Speaker>(name: Name): Promise<Say<Name>> {
    const ability = (await speakerOf(this))[name];
    if (!ability) throw new Error(`The adapter cannot do that: ${name}.`);
    return ability as Say<Name>;
  }
}

export function memoryOf(remembered: Map<string, string>): Memory {
  return {
    read: async (name) => remembered.get(name) ?? null,
    write: async (name, value) => void remembered.set(name, value),
  };
}
