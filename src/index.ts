/**
 * Baton as a library, ordered by audience: keep conversations, know where messages come from, decide what the model
 * sees, show sessions to people, move them, and build a store or platform of one's own.
 */

// Build a platform of one's own, and run it.
export {
  type Adapter,
  type Capabilities,
  ConnectError,
  type InboundMessage,
  type LocalFile,
  type Mark,
  type Memory,
  type OutboundMessage,
  type Receive,
  type Received,
  type RemoteFile,
  SendError,
  type Surroundings,
} from "./adapter/adapter.js";
export { Intake, type IntakeOptions } from "./adapter/intake.js";
export { KeptLine, type ServeLine } from "./adapter/kept-line.js";
export type { Agent, AgentEvent, TurnInput } from "./agent/agent.js";
export { offlineAgent } from "./agent/offline.js";
export { commandTable } from "./gateway/commands/table.js";
export { type OpenGateway, type OpenGatewayOptions, openGateway } from "./open-gateway.js";
// Keep conversations.
export { type OpenOptions, openSessions } from "./open-sessions.js";
// Show sessions to people, and only theirs.
export { identityOf, mayAccess, OWNER, type Viewer, viewerOf } from "./session/access.js";
export {
  buildSessionContext,
  buildSessionContextPrompt,
  buildSessionLabels,
  type ContextConfig,
  type HomeChannel,
  type PromptOptions,
  type SessionContext,
} from "./session/context.js";
// Handle failures.
export {
  BatonError,
  ConflictError,
  type ErrorCode,
  InputError,
  NotFoundError,
  StoreError,
} from "./session/errors.js";
// Move a session.
export {
  type Handoff,
  type HandoffOutcome,
  type HandoffState,
  type HandoffStep,
  stepHandoff,
} from "./session/handoff.js";
export { type Platform, type PlatformTraits, platforms, registerPlatform } from "./session/platform.js";
export {
  DEFAULT_RESET_POLICY,
  nextReset,
  type ResetConfig,
  type ResetMode,
  type ResetMoment,
  type ResetPolicy,
  type ResetReason,
  resetReason,
} from "./session/reset-policy.js";
// Tell people in a shared session apart.
export { type Sender, senderPrefixed } from "./session/sender.js";
export type {
  EndReason,
  Metadata,
  SessionEntry,
  SessionPatch,
  Usage,
} from "./session/session.js";
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
  type Explanation,
  type ResolveOptions,
  Sessions,
  type SessionsConfig,
  type SessionsOptions,
} from "./session/sessions.js";
// Know where a message comes from and which conversation it belongs to.
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
// Build a store of one's own.
export type {
  AdoptedSession,
  AppendRequest,
  HandoffStore,
  ListFilter,
  NewSession,
  Page,
  Resolved,
  ResolveRequest,
  RouteStore,
  SearchHit,
  SearchOptions,
  SearchStore,
  SessionReader,
  SessionStore,
  TranscriptStore,
} from "./session/store.js";
// Decide what the model sees, and when a conversation starts fresh.
export {
  type Author,
  historyWindow,
  type Message,
  type StoredMessage,
  type ToolCall,
  type WindowOptions,
} from "./session/transcript.js";
export type { SessionsView } from "./session/view.js";
// Bring conversations in and out.
export { type ExportFormat, exportSession } from "./store/jsonl/export.js";
export { type ImportOptions, type ImportReport, importSessions } from "./store/jsonl/import.js";
export type { Clock } from "./util/clock.js";
