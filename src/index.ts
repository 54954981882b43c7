/**
 * Baton as a library. The groups are ordered by audience, the most common first: keep conversations, run a gateway,
 * write an agent, a platform or a store.
 */

// The blank line below each comment stops the formatter from sorting across groups.

// Keep conversations: open a store, take messages in, write answers down.

export { type OpenOptions, openSessions } from "./open-sessions.js";
export { asSessionId, type SessionId } from "./session/ids.js";
export type { EndReason, Metadata, ModelUse, SessionEntry, SessionPatch, Usage } from "./session/session.js";
export {
  type Explanation,
  type ResolveOptions,
  Sessions,
  type SessionsConfig,
  type SessionsOptions,
} from "./session/sessions.js";
export type { Attachment, Author, Message, StoredMessage, ToolCall } from "./session/transcript.js";
export type { ModelRetry, TurnFacts, TurnUsage } from "./session/turn-facts.js";
export type { Clock } from "./util/clock.js";
export type { Hide } from "./util/redact.js";

// Know where a message comes from, and which conversation it belongs to.

export {
  asSessionKey,
  buildSessionKey,
  isShared,
  parseSessionKey,
  type SessionKey,
  type SessionKeyParts,
  type SessionScopes,
} from "./session/session-key.js";
export {
  type Address,
  addressOf,
  type ChatType,
  describeSource,
  formatAddress,
  localSource,
  parseAddress,
  parseSource,
  type SessionSource,
  serializeSource,
} from "./session/source.js";

// Decide what the model sees, and when a conversation starts fresh.

export type { TitleMaker } from "./gateway/memory/titles.js";
export {
  buildSessionContext,
  buildSessionContextPrompt,
  buildSessionLabels,
  type ContextConfig,
  type HomeChannel,
  type PromptOptions,
  type SessionContext,
} from "./session/context.js";
export {
  historyWindow,
  type NumberedWindow,
  type WindowOptions,
  type WindowWish,
} from "./session/history-window.js";
export {
  DEFAULT_RESET_POLICY,
  type ExpiryRule,
  nextReset,
  type ResetConfig,
  type ResetMode,
  type ResetMoment,
  type ResetPolicy,
  type ResetReason,
  resetReason,
} from "./session/reset-policy.js";
export type {
  ArchivedSession,
  RetentionAmount,
  RetentionRules,
  SessionArchive,
} from "./session/retention.js";
export { type Sender, senderPrefixed } from "./session/sender.js";
export { type Summary, summaryMessage } from "./session/summary.js";

// Show sessions to people: each person sees their own.

export {
  type Belonging,
  identityOf,
  mayAccess,
  OWNER,
  type SessionBelonging,
  type Viewer,
  viewerOf,
} from "./session/access.js";
export type { SessionsView } from "./session/view.js";

// Handle failures: every error that you can act on has a stable code.

export {
  BatonError,
  ConflictError,
  type ErrorCode,
  InputError,
  NotFoundError,
  StoreError,
} from "./session/errors.js";

// Bring conversations in and out.

export type {
  ExportFormat,
  ImportedPlatform,
  ImportedSession,
  ImportedSource,
  ImportFormat,
  ImportOptions,
  ImportProblem,
  ImportReport,
  Write,
} from "./session/transfer.js";
export { exportSession } from "./store/jsonl/export.js";
export { importSessions } from "./store/jsonl/import.js";

// Move a session to another chat.

export {
  type Asker,
  type Handoff,
  type HandoffOutcome,
  type HandoffState,
  type HandoffStep,
  stepHandoff,
} from "./session/handoff.js";
export { asHandoffId, type HandoffId } from "./session/ids.js";

// Run a gateway: an agent, the platforms that reach it, commands and people.

export type { McpState } from "./agent/mcp/server.js";
export { offlineAgent } from "./agent/offline.js";
export type { EveryonesLimits, LimitName, UsageLimitName, WrittenLimits } from "./config/role-defaults.js";
export type { DocumentText } from "./document/document.js";
export type { DocumentReading } from "./document/reading.js";
export type { ListedPeople, Who } from "./gateway/authorize.js";
export type { BusyMode, BusyModes } from "./gateway/busy.js";
export type { AgentInfo, ModelInfo } from "./gateway/commands/agent-info.js";
export type {
  AskingCall,
  Command,
  CommandCall,
  CommandReply,
  Commands,
} from "./gateway/commands/commands.js";
export { commandTable } from "./gateway/commands/table.js";
export type { Gateway } from "./gateway/gateway.js";
export type { GatewayEvents, SessionWish } from "./gateway/gateway-events.js";
export type { GroupChatRules, GroupRules } from "./gateway/group-rules.js";
export type { GatewayFiles } from "./gateway/kept-files.js";
export type { LimitLists } from "./gateway/limits.js";
export type { VoiceListening, VoiceSpeaking } from "./gateway/listening.js";
export type { GatewayMemory } from "./gateway/memory/options.js";
export type { PeopleRules } from "./gateway/people.js";
export type { Role, ToolLists } from "./gateway/permissions.js";
export type { Instruction, ToldOptions } from "./gateway/told.js";
export { type OpenGateway, type OpenGatewayOptions, openGateway } from "./open-gateway.js";
export type { GatewayRetention } from "./open-retention.js";
export type { OnProblem, ProblemDetails } from "./util/problem.js";
export { type HidingStream, Redactor } from "./util/redact.js";

// Background processes, as a gateway is given them.

export type { GatewayProcesses, ProcessLimits } from "./gateway/processes/options.js";
export type { HostClientOptions } from "./process/host-client.js";
export type { OutputPart, ProcessEnd, ProcessSpec, ProcessStatus, TerminalSize } from "./process/process.js";
export type {
  KnownProcess,
  Processes,
  ProcessesOptions,
  SeenProcess,
  StartProcess,
} from "./process/processes.js";
export type { HostEvent } from "./process/protocol.js";
export type { StartedHost } from "./process/start-host.js";
export type {
  KeptProcess,
  NewProcess,
  ProcessAdded,
  ProcessCaps,
  ProcessStore,
  Watch,
} from "./process/store.js";
export type { ProcessId } from "./session/ids.js";
export type { RemoteControl } from "./util/command-environment.js";

// Scheduled jobs, as a gateway is given them and the store keeps them.

export type { GatewayJobs, JobLimits } from "./gateway/jobs/options.js";
export type { JobDecision } from "./schedule/decide.js";
export type { CatchUp, DueTime, Missed } from "./schedule/due.js";
export type {
  Job,
  JobOrigin,
  JobSession,
  JobSetting,
  JobSpending,
  JobWork,
  NewJob,
  Overlap,
  ResultState,
  Run,
  RunResult,
  RunState,
} from "./schedule/job.js";
export type { Schedule, Timing } from "./schedule/schedule.js";
export type { JobClock, JobStore, Overdue, Renewed, ShownRun } from "./schedule/store.js";
export type { JobId, RunId } from "./session/ids.js";

// Write an agent, or a tool for one.

export {
  type Agent,
  AgentError,
  type AgentEvent,
  type AssistantMessage,
  type BackgroundCommand,
  type Danger,
  type GivenFiles,
  type ModelDraft,
  type Tool,
  type ToolContext,
  type ToolMessage,
  type TurnInput,
} from "./agent/agent.js";
export { runToolCall } from "./agent/tool-call.js";
export type { OutgoingFile, OutgoingFiles } from "./agent/tools/outgoing-files.js";

// Write a platform.

export {
  type Adapter,
  type Answered,
  type Capabilities,
  ConnectError,
  type FileReference,
  type FoundMessage,
  type InboundMessage,
  type Letter,
  type LetterButton,
  type Line,
  type LocalFile,
  type Mark,
  type Memory,
  type PlatformLimits,
  type Purpose,
  type Receive,
  type Received,
  type RemoteFile,
  SendError,
  type Speaker,
  ThreadRefused,
} from "./adapter/adapter.js";
export { Intake, type IntakeOptions } from "./adapter/intake.js";
export type { LiveQuestion, LiveReply, ReplyEnd, ToolProgress } from "./adapter/live-reply.js";
export {
  type Answers,
  type Given,
  manifest,
  type PlatformManifest,
  type SetupFound,
} from "./adapter/manifest.js";
export {
  checklistPart,
  contactPart,
  locationPart,
  type Part,
  type PartKind,
  part,
  pollPart,
} from "./session/parts.js";
export {
  type LiveChat,
  type Platform,
  type PlatformTraits,
  platforms,
  registerPlatform,
  type ToldChat,
} from "./session/platform.js";
export type { Secret } from "./util/secret.js";
export {
  address,
  choice,
  flag,
  type Meaning,
  number,
  port,
  type Question,
  type Setting,
  type Settings,
  secret,
  type Takes,
  type TakesText,
  text,
  textOr,
} from "./util/setting.js";

// Write a store of sessions.

export type {
  AdoptedSession,
  Answerer,
  AppendRequest,
  EndedSession,
  HandoffEffects,
  HandoffRequest,
  HandoffStore,
  LanePlace,
  ListFilter,
  Neighbour,
  NewSession,
  OccupiedLane,
  Page,
  PartWish,
  Resolved,
  ResolveRequest,
  RouteStore,
  SearchHit,
  SearchOptions,
  SearchStore,
  SessionReader,
  SessionStore,
  TranscriptEnd,
  TranscriptStore,
} from "./session/store.js";
