/** What a chat in the terminal, or a single question, opens and hears. */
import type { Adapter } from "../adapter/adapter.js";
import type { CommandWord } from "../gateway/commands/commands.js";
import type { Gateway } from "../gateway/gateway.js";
import type { GatewayEvents } from "../gateway/gateway-events.js";
import type { TerminalDesk } from "../gateway/terminals/terminal-desk.js";
import type { SessionId } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import type { SessionKey } from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import type { StoredMessage } from "../session/transcript.js";
import type { OnProblem } from "../util/problem.js";
import type { LaneChoice } from "./lane-choice.js";

/** What a chat hears from its gateway. */
export interface ChatEvents extends GatewayEvents {
  /** The session that this terminal shows, as it is now; null if there is none yet. */
  readonly onSession?: (entry: SessionEntry | null) => void;
  /** Somebody took the session away from this terminal: where it is now; null if it is gone. */
  readonly onTaken?: (entry: SessionEntry | null) => void;
  /** What others say in the session that this terminal shows. */
  readonly onOthers?: (messages: readonly StoredMessage[]) => void;
  /** Another process has begun to answer in that session, or it is done. */
  readonly onOthersAtWork?: (isAtWork: boolean) => void;
  readonly onProblem: OnProblem;
  /** There is more to complete a line with. */
  readonly onCompletions?: () => void;
}

/** What holds for a single question. */
export interface QuestionWish {
  /** The model to ask, whatever the session chose. */
  readonly model?: string;
  /** More instructions for the agent. */
  readonly system?: string;
  /** Nothing of it is saved afterwards: also no notes and no jobs, and nothing runs on in the background. */
  readonly isUnsaved?: boolean;
}

/** The terminal that a chat is opened for. */
export interface ChatSurface {
  readonly isScript: boolean;
  readonly question?: QuestionWish;
  /** Makes it when the store is open, in the lane that it chooses. */
  make(opened: {
    readonly sessions: Sessions;
    readonly terminals: TerminalDesk;
  }): Promise<{ readonly adapter: Adapter; readonly lane: LaneChoice }>;
}

/** What a chat in the terminal needs of the gateway behind it. */
export interface OpenChat {
  readonly gateway: Gateway;
  readonly sessions: Sessions;
  readonly terminals: TerminalDesk;
  /** Where this terminal is, and its lane. */
  readonly lane: LaneChoice;
  readonly key: SessionKey;
  readonly agent: string;
  /** The session that this terminal shows; null if there is none yet. */
  session(): SessionId | null;
  /** Waits until no command is about to change which session this terminal shows. */
  settled(): Promise<void>;
  /** Enters the lane, and begins to receive. */
  begin(): Promise<void>;
  /** What may complete a line that begins with a slash, as far as it is known. */
  complete(line: string): readonly CommandWord[];
  /** The next chat continues a turn that is still running. */
  close(): Promise<void>;
}
