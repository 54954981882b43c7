/** What a gateway is made of. */
import type { Adapter } from "../adapter/adapter.js";
import type { Agent, Tool } from "../agent/agent.js";
import type { SessionScopes } from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import type { Clock } from "../util/clock.js";
import type { Later } from "../util/later.js";
import type { OnProblem } from "../util/problem.js";
import type { Who } from "./authorize.js";
import type { BusyModes } from "./busy.js";
import type { Commands } from "./commands/commands.js";
import type { GatewayEvents } from "./gateway-events.js";
import type { GroupRules } from "./group-rules.js";
import type { GatewayJobs } from "./jobs/options.js";
import type { KeptFiles } from "./kept-files.js";
import type { LimitLists } from "./limits.js";
import type { MemoryDesk } from "./memory/desk.js";
import type { Upkeep } from "./memory/upkeep.js";
import type { PeopleRules } from "./people.js";
import type { ToolLists } from "./permissions.js";
import type { GatewayProcesses } from "./processes/options.js";
import type { GatewayStore } from "./store.js";
import type { ToldOptions } from "./told.js";

export interface GatewayOptions extends Partial<KeptFiles>, GatewayEvents, ToldOptions {
  readonly sessions: Sessions;
  readonly store: GatewayStore;
  readonly agent: Agent;
  readonly adapters: readonly Adapter[];
  readonly commands: Commands;
  /** All that there is for this person; of these an agent has what `toolLists` leave them. */
  readonly tools: (who: Who) => readonly Tool[] | Promise<readonly Tool[]>;
  readonly toolLists: ToolLists;
  /** Without it, nothing runs in the background. */
  readonly processes?: GatewayProcesses;
  /** Without it, no scheduled jobs run here. */
  readonly jobs?: GatewayJobs;
  /** Without it, long conversations are not summed up. */
  readonly upkeep?: Upkeep;
  /** Without it, nothing is remembered about people. */
  readonly memory?: MemoryDesk;
  readonly scopes: SessionScopes;
  readonly people: PeopleRules;
  /** How much people may ask for; what is absent is as built in. */
  readonly limits?: LimitLists;
  /** What the agent is given of groups; without it, only messages to the bot. */
  readonly groups?: GroupRules;
  /** What people's reactions to answers mean, by emoji: a command or words; without it, nothing. */
  readonly reactions?: Readonly<Record<string, string>>;
  readonly busy: BusyModes;
  /** Waits for more messages of a burst; by real time unless told. */
  readonly wait?: (ms: number, end: AbortSignal) => Promise<void>;
  /** The model to ask, whatever a session chose. */
  readonly model?: string;
  readonly maxMessages: number;
  /** How many messages a turn may send beyond one for each of its steps. */
  readonly maxSends?: number;
  /** False if chats are not told which tool of a long turn is running. */
  readonly progress?: boolean;
  readonly deadlineMs: number;
  /** How long a turn is its process's without a sign of life. */
  readonly leaseMs?: number;
  /** How long a handoff may wait to be carried out. */
  readonly handoffWaitMs?: number;
  /** How long a message waits for a platform that can't be reached. */
  readonly giveUpAfterMs?: number;
  readonly holder: string;
  readonly clock: Clock;
  /** Milliseconds that pass whatever the clock says; by these a lease runs out that cannot be renewed. */
  readonly elapsed?: () => number;
  /** By this it waits a moment before it shows that it is working. */
  readonly later?: Later;
  readonly onProblem: OnProblem;
}
