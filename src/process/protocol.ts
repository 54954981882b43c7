/**
 * What a process host and its clients say to each other: lines of JSON over a Unix socket. The first line of each side is
 * its hello; they speak the highest protocol that both know. A newer Baton must go on speaking protocol 1, because a host
 * outlives upgrades. Fields that a side does not know are ignored; a verb that the host does not know is an error.
 */
import type { ProcessId } from "../session/ids.js";
import type { OutputPart, ProcessSpec, ProcessStatus, TerminalSize } from "./process.js";

/** The protocols that this version speaks. */
export const PROTOCOLS: readonly number[] = [1];

/** An argument of the host's program: a service manager or a container ends it together with the gateway. */
export const ENDS_WITH_SERVICE_FLAG = "--ends-with-service";

/** The longest line that is read: a process may have a long environment, and a part of the output is a line. */
export const LONGEST_LINE = 8 * 1024 * 1024;

export interface ClientHello {
  readonly baton: "client";
  readonly protocols: readonly number[];
  readonly version: string;
}

export interface HostHello {
  readonly baton: "process host";
  /** The one that is spoken from now on; null if there is none in common: then the host hangs up. */
  readonly protocol: number | null;
  readonly protocols: readonly number[];
  readonly version: string;
  readonly pid: number;
  /** Names the home folder in the store. */
  readonly home: string;
  /** True if this machine can make a PTY. */
  readonly hasPty: boolean;
  /** True if a service manager ends the processes together with the gateway. */
  readonly endsWithService: boolean;
}

/** What a client can ask for, and what it gets. */
export interface HostVerbs {
  /** Starts a process, once: for an id that is known it only gives the status. */
  spawn: { takes: { readonly spec: ProcessSpec }; gives: ProcessStatus };
  /** An id that is not known can never be started from now on. Gives how it is, or that it never ran. */
  abandon: { takes: Which; gives: ProcessStatus };
  list: { takes: object; gives: readonly ProcessStatus[] };
  status: { takes: Which; gives: ProcessStatus };
  /** From a position, or, if that is negative, that many bytes before the end; at most `limit` bytes. */
  read: { takes: Which & { readonly from: number; readonly limit: number }; gives: OutputPart };
  /** What is new since the last poll, at most the last `limit` bytes. */
  poll: { takes: Which & { readonly limit: number }; gives: { status: ProcessStatus; output: OutputPart } };
  /** Nothing is written if `after` is given and something else is unsent by now. */
  write: { takes: Which & { readonly text: string; readonly after?: string }; gives: ProcessStatus };
  /** Ends its input. */
  close: { takes: Which; gives: ProcessStatus };
  resize: { takes: Which & TerminalSize; gives: ProcessStatus };
  /** Ends the whole group; answers when it is gone. */
  kill: {
    takes: Which & { readonly by: "agent" | "person"; readonly graceMs: number };
    gives: ProcessStatus;
  };
  /** From now on this client hears of new output of the process. */
  follow: { takes: Which; gives: ProcessStatus };
  unfollow: { takes: Which; gives: object };
  /** Removes what is kept of a process that has ended. */
  forget: { takes: Which; gives: object };
}

interface Which {
  readonly id: ProcessId;
}

export type HostVerb = keyof HostVerbs;

export interface HostRequest<V extends HostVerb = HostVerb> {
  readonly n: number;
  readonly do: V;
  readonly with: HostVerbs[V]["takes"];
}

export type HostAnswer =
  | { readonly n: number; readonly ok: unknown }
  | { readonly n: number; readonly error: { readonly code: HostErrorCode; readonly message: string } };

export type HostErrorCode =
  | "process_not_found"
  | "process_not_started"
  | "process_input_closed"
  | "process_input_full"
  | "process_input_changed"
  | "process_still_running"
  | "process_without_terminal"
  | "process_host_failed";

export type HostEvent =
  /** There is output up to this position. */
  | { readonly event: "output"; readonly id: ProcessId; readonly to: number }
  | { readonly event: "ended"; readonly status: ProcessStatus };
