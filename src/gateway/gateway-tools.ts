/** The tools of the gateway itself, made for one turn: each reaches only what the turn's person may see. */
import type { Adapter } from "../adapter/adapter.js";
import type { Tool } from "../agent/agent.js";
import type { OutgoingFiles } from "../agent/tools/outgoing-files.js";
import { sessionTools } from "../agent/tools/sessions.js";
import type { Sessions } from "../session/sessions.js";
import type { Address } from "../session/source.js";
import type { Clock } from "../util/clock.js";
import type { Who } from "./authorize.js";
import type { JobDesk } from "./jobs/desk.js";
import { scheduleTool } from "./jobs/schedule-tool.js";
import type { VoiceSpeaking } from "./listening.js";
import type { Media } from "./media.js";
import type { MemoryDesk } from "./memory/desk.js";
import { memoryTool } from "./memory/memory-tool.js";
import type { MemoryReader } from "./memory/whose.js";
import type { Notices } from "./notices.js";
import type { GatewayProcesses } from "./processes/options.js";
import { processTool } from "./processes/process-tool.js";
import { seenBy } from "./processes/rights.js";
import { type SendSetting, sendFileTool, sendTool } from "./send-tool.js";
import { speakTool } from "./speak-tool.js";
import type { GatewayStore, InboxItem, Turn } from "./store.js";

export interface GatewayToolsSetting {
  readonly sessions: Sessions;
  readonly store: GatewayStore;
  readonly adapters: readonly Adapter[];
  /** Without it, nothing runs in the background. */
  readonly processes?: GatewayProcesses;
  /** Null if there are no scheduled jobs here. */
  readonly jobs: JobDesk | null;
  /** Without it, nothing is remembered about people. */
  readonly memory?: MemoryDesk;
  readonly reach: SendSetting["reach"];
  readonly holder: string;
  readonly clock: Clock;
  readonly notices: Notices;
  /** Without both of these, no files are sent. */
  readonly media?: Media;
  readonly outgoing?: () => Promise<OutgoingFiles>;
  /** Without it, the agent does not answer by voice. */
  readonly speaking?: VoiceSpeaking;
}

export interface TurnOfGatewayTools {
  readonly who: Who;
  readonly turn: Turn;
  readonly item: InboxItem;
  /** Aborted while a person's message waits that the agent has not read. */
  readonly unread: () => AbortSignal;
  /** Whose memory the turn has; null for nobody's. */
  readonly memory: MemoryReader | null;
  /** A tool of the turn, with what the lists make of it; undefined if its person does not have it. */
  readonly tool: (name: string) => Tool | undefined;
}

export function gatewayTools(setting: GatewayToolsSetting, given: TurnOfGatewayTools): readonly Tool[] {
  const { who, turn, item, unread, memory: reader, tool } = given;
  const { sessions, store, adapters, reach, holder, clock, notices, memory: desk } = setting;
  const view = sessions.as(who.viewer);
  const { media, outgoing } = setting;
  const files = media && outgoing ? { media, outgoing } : null;
  const sending = {
    turn,
    account: item.account,
    view,
    outbox: store.outbox,
    adapters,
    reach,
    holder,
    clock,
    pieces: async ({ platform }: Address, text: string) => {
      await notices.cut(platform, text);
      return notices.piecesOf(platform, text);
    },
    sendFile: () => tool("send_file"),
  };
  const { speaking } = setting;
  const voice = speaking && media ? speakTool({ ...sending, speaking, media }) : null;
  const { processes, limits } = setting.processes ?? {};
  const ofProcesses =
    processes && limits
      ? [
          processTool({
            processes,
            limits,
            seen: async () => seenBy(await processes.list({}), who, view, turn.sessionId),
            personWrote: unread,
            clock,
          }),
        ]
      : [];
  const ofJobs = setting.jobs ? [scheduleTool({ desk: setting.jobs, who, item, clock })] : [];
  const ofMemory = desk?.learns && reader ? [memoryTool({ desk, reader, isAsked: !item.inBackground })] : [];
  return [
    ...sessionTools(view, { timeZone: sessions.timezone, clock }),
    sendTool({ ...sending, files }),
    ...(files ? [sendFileTool({ ...sending, files })] : []),
    ...(voice ? [voice] : []),
    ...ofProcesses,
    ...ofJobs,
    ...ofMemory,
  ];
}
