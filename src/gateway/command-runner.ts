/** Runs a command once: it is marked as begun before it acts, and as done together with its reply. */

import { StoreError } from "../session/errors.js";
import { deliveryIdOf } from "../session/ids.js";
import { cleanLine } from "../util/text.js";
import type { Apologies } from "./apology.js";
import { withChoices } from "./buttons.js";
import type { CommandReply, Commands } from "./commands/commands.js";
import type { Common } from "./common.js";
import type { ForCommands } from "./for-commands.js";
import type { Lanes } from "./lanes.js";
import type { Notices } from "./notices.js";
import type { InboxItem, NewDelivery } from "./store.js";
import type { Surfaces } from "./surfaces.js";
import { WENT_WRONG } from "./turn-run.js";

export interface CommandRunnerSetting extends Common {
  readonly commands: Commands;
  readonly forCommands: ForCommands;
  readonly lanes: Lanes;
  readonly notices: Notices;
  readonly apologies: Apologies;
  readonly surfaces: Surfaces;
}

export class CommandRunner {
  readonly #setting: CommandRunnerSetting;

  constructor(setting: CommandRunnerSetting) {
    this.#setting = setting;
  }

  /** Runs it beside the running turn. The next turn of its lane waits for it. */
  start(item: InboxItem): void {
    const { lanes, commands, surfaces, apologies, onProblem } = this.#setting;
    const lane = lanes.of(item.key);
    const run = () => this.#run(item);
    const running = commands.changesSession(item.text) ? lane.changeSession(run) : lane.hold(run);
    running.catch((error: Error) => {
      onProblem(`${nameOf(item)} could not be saved: ${error.message}`, { cause: error });
      const surface = surfaces.of(item);
      if (surface && error instanceof StoreError) void apologies.say(surface, item, { isKept: true });
    });
  }

  async #run(item: InboxItem): Promise<void> {
    const { store, commands, forCommands, holder, clock, onProblem } = this.#setting;
    if (!(await store.inbox.beginCommand(item.id, holder))) return;
    const said = await commands.run(item, forCommands).catch((error: Error) => {
      onProblem(`${nameOf(item)} failed: ${error.message}`, { cause: error });
      return { text: `${nameOf(item)}: ${WENT_WRONG}`, choices: [] };
    });
    await store.inbox.finishCommand(item.id, await this.#told(item, said), clock());
  }

  async #told(item: InboxItem, { text, choices }: CommandReply): Promise<readonly NewDelivery[]> {
    const { notices, surfaces } = this.#setting;
    if (text === "") return [];
    const why = { purpose: "command" } as const;
    const pieces = await notices.about(item, deliveryIdOf("inbox", item.id, 0), text, why);
    return withChoices(pieces, choices, surfaces.of(item)?.capabilities);
  }

  /** A process ended while it ran this command: nobody knows what it did, so it is not run again. */
  async interrupted(item: InboxItem): Promise<void> {
    const { store, notices, clock } = this.#setting;
    const text = `I was interrupted while running ${nameOf(item)}. Check whether it took effect before you repeat it.`;
    const deliveries = await notices.about(item, deliveryIdOf("inbox", item.id, "unknown"), text);
    await store.inbox.finishCommand(item.id, deliveries, clock());
  }
}

/** The command's own word. */
function nameOf(item: InboxItem): string {
  return cleanLine(item.text).split(" ")[0] ?? "";
}
