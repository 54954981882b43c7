/** Opens a store by its URL and gives the gateway over it, with the adapters and the agent it is handed. */
import type { Adapter } from "./adapter/adapter.js";
import type { Agent, Tool } from "./agent/agent.js";
import type { Who } from "./gateway/authorize.js";
import type { BusyModes } from "./gateway/busy.js";
import { type Command, Commands } from "./gateway/commands/commands.js";
import type { Subscriber } from "./gateway/facts.js";
import type { Gateway } from "./gateway/gateway.js";
import type { GatewayEvents } from "./gateway/gateway-events.js";
import type { GroupRules } from "./gateway/group-rules.js";
import type { GatewayJobs } from "./gateway/jobs/options.js";
import type { GatewayFiles } from "./gateway/kept-files.js";
import type { LimitLists } from "./gateway/limits.js";
import type { GatewayMemory } from "./gateway/memory/options.js";
import type { TitleMaker } from "./gateway/memory/titles.js";
import type { PeopleRules } from "./gateway/people.js";
import type { ToolLists } from "./gateway/permissions.js";
import type { GatewayProcesses } from "./gateway/processes/options.js";
import type { GatewayStore } from "./gateway/store.js";
import type { TerminalDesk } from "./gateway/terminals/terminal-desk.js";
import type { ToldOptions } from "./gateway/told.js";
import type { GatewayRetention } from "./open-retention.js";
import { type OpenOptions, openStore } from "./open-sessions.js";
import type { ProcessStore } from "./process/store.js";
import { DEFAULT_WINDOW } from "./session/history-window.js";
import { LOCAL } from "./session/platform.js";
import type { Sessions } from "./session/sessions.js";
import type { SessionStore } from "./session/store.js";
import type { OnProblem } from "./util/problem.js";
import type { Redactor } from "./util/redact.js";

export interface OpenGatewayOptions extends OpenOptions, GatewayEvents, ToldOptions {
  /** What must not come out: neither to a chat nor to a model, nor into the store. */
  readonly redactor?: Redactor;
  readonly agent: Agent;
  readonly adapters: readonly Adapter[];
  readonly commands: readonly Command[];
  /** All that there is for a person; `toolLists` say which of these their role and platform leave them. */
  readonly tools?: (who: Who) => readonly Tool[] | Promise<readonly Tool[]>;
  readonly toolLists?: ToolLists;
  /** Makes what keeps commands in the background, over the store; without it, nothing runs there. */
  readonly processes?: (store: ProcessStore) => GatewayProcesses;
  /** Without it, there are no scheduled jobs here. */
  readonly jobs?: GatewayJobs;
  /** How much is remembered about people; without it, nothing is. */
  readonly memory?: GatewayMemory;
  readonly people?: PeopleRules;
  /** How much people may ask for; what is absent is as built in. */
  readonly limits?: LimitLists;
  readonly busy?: Partial<BusyModes>;
  /** What the agent is given of groups; without it, only messages to the bot. */
  readonly groups?: GroupRules;
  /** What people's reactions to answers mean, by emoji: a command, or words to the agent. Without it, nothing. */
  readonly reactions?: Readonly<Record<string, string>>;
  /** The model to ask, whatever a session chose. */
  readonly model?: string;
  /** Where files that come with messages are kept, and who reads them; without it none are taken. */
  readonly files?: GatewayFiles;
  readonly maxMessages?: number;
  /** From this share of the model's context window on, older messages are summed up. Default 0.7. */
  readonly summariseAt?: number;
  /** Who names new sessions; `model` by default. */
  readonly titles?: TitleMaker;
  /** How many messages a turn may send beyond one for each of its steps. */
  readonly maxSends?: number;
  /** False if chats are not told which tool of a long turn is running. */
  readonly progress?: boolean;
  readonly turnDeadlineMs?: number;
  /** How long a turn is its process's without a sign of life. */
  readonly leaseMs?: number;
  /** How long a handoff may wait to be carried out. */
  readonly handoffWaitMs?: number;
  /** How long a message waits for a platform that can't be reached. Default 3 days. */
  readonly giveUpAfterMs?: number;
  readonly onProblem?: OnProblem;
  /** Removes ended sessions by itself; without it, they stay. */
  readonly retention?: GatewayRetention;
}

/** What is known before the adapters are. */
interface OpenedSessions {
  readonly sessions: Sessions;
  readonly terminals: TerminalDesk;
}

export interface OpenGateway {
  readonly gateway: Gateway;
  readonly sessions: Sessions;
  readonly commands: Commands;
  /** Stops the gateway, giving running turns that long, then closes the store. */
  close(options?: { drainMs?: number }): Promise<void>;
}

/** Makes the adapters once the store is open. */
export type AdaptersOver = (opened: OpenedSessions) => Promise<readonly Adapter[]>;

/** A gateway that knows of the other terminals over its store. */
export interface TerminalGateway extends OpenGateway {
  /** What it is over. */
  readonly store: SessionStore & GatewayStore;
  /** Which terminals are open where. */
  readonly terminals: TerminalDesk;
  /** Tells what was committed, here or by another process. The returned function ends it. */
  subscribe(subscriber: Subscriber): () => void;
}

export function openGateway(options: OpenGatewayOptions): Promise<OpenGateway> {
  return openGatewayOver(async () => options.adapters, options);
}

export async function openGatewayOver(
  adaptersOver: AdaptersOver,
  options: Omit<OpenGatewayOptions, "adapters">,
): Promise<TerminalGateway> {
  // Loaded now: a program that imports the library may never open a gateway.
  const parts = await import("./gateway/gateway-parts.js");
  const {
    Gateway,
    TerminalDesk,
    Upkeep,
    MemoryDesk,
    keptFiles,
    processHolder,
    hidingAdapter,
    hidingAgent,
    warnOfScopes,
  } = parts;
  const { busy, clock = Date.now, redactor } = options;
  const { store, sessions } = await openStore({ ...options, ...(redactor ? { hide: redactor.hide } : {}) });
  const terminals = new TerminalDesk({ sessions, store, clock });
  const given = await adaptersOver({ sessions, terminals }).catch(async (error) => {
    await sessions.close();
    throw error;
  });
  const adapters = given.map((adapter) => (redactor ? hidingAdapter(adapter, redactor) : adapter));
  const commands = new Commands(options.commands, sessions);
  const onProblem: OnProblem = options.onProblem ?? ((problem) => process.emitWarning(problem));
  const scopes = options.config?.scopes ?? {};
  if (adapters.some(({ platform }) => platform !== LOCAL)) {
    await warnOfScopes(store, scopes, onProblem).catch(async (error) => {
      await sessions.close();
      throw error;
    });
  }
  const processes = options.processes?.(store.processes);
  const agent = redactor ? hidingAgent(options.agent, redactor) : options.agent;
  const { maxMessages = DEFAULT_WINDOW } = options;
  const holder = processHolder();
  const common = { sessions, store, agent, maxMessages, holder, clock, onProblem };
  const gateway = new Gateway({
    ...common,
    upkeep: new Upkeep({
      ...common,
      share: options.summariseAt ?? 0.7,
      titles: options.titles ?? "model",
      maxMemory: options.memory && options.memory.learns !== false ? options.memory.maxCharacters : null,
      scopes,
    }),
    adapters,
    commands,
    tools: options.tools ?? (() => []),
    toolLists: options.toolLists ?? {},
    ...(processes ? { processes } : {}),
    ...(options.jobs ? { jobs: options.jobs } : {}),
    scopes,
    ...(options.memory ? { memory: new MemoryDesk({ ...options.memory, notes: store.memory, clock }) } : {}),
    people: options.people ?? {},
    limits: options.limits ?? {},
    ...(options.groups ? { groups: options.groups } : {}),
    ...(options.reactions ? { reactions: options.reactions } : {}),
    busy: { default: "interrupt", byPlatform: {}, byChat: {}, ...busy },
    homeChannels: options.homeChannels ?? [],
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.instructions ? { instructions: options.instructions } : {}),
    ...(options.workdir === undefined ? {} : { workdir: options.workdir }),
    ...(options.files ? keptFiles(options.files, store.files, clock, redactor) : {}),
    ...(options.maxSends === undefined ? {} : { maxSends: options.maxSends }),
    ...(options.progress === undefined ? {} : { progress: options.progress }),
    deadlineMs: options.turnDeadlineMs ?? 600_000,
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    ...(options.handoffWaitMs ? { handoffWaitMs: options.handoffWaitMs } : {}),
    ...(options.giveUpAfterMs === undefined ? {} : { giveUpAfterMs: options.giveUpAfterMs }),
    ...(options.onHandoff ? { onHandoff: options.onHandoff } : {}),
    ...(options.onOffer ? { onOffer: options.onOffer } : {}),
    ...(options.onElsewhere ? { onElsewhere: options.onElsewhere } : {}),
    ...(options.beside ? { beside: options.beside } : {}),
  });
  const keeper = options.retention
    ? (await import("./open-retention.js")).keepRetention(options.retention, {
        ...options,
        ...(options.files ? { mediaFolder: options.files.folder } : {}),
        clock,
        store,
        sessions,
        gateway,
      })
    : null;
  return {
    gateway,
    sessions,
    commands,
    terminals,
    store,
    subscribe: store.subscribe,
    close: async ({ drainMs = 10_000 } = {}) => {
      await keeper?.stop();
      await gateway.stop({ drainMs });
      await processes?.processes.shut();
      await sessions.close();
    },
  };
}
