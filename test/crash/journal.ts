/** What a writer says it began and did, and the state of the store that follows from it. Pure. */
import type { Message } from "../../src/index.js";

export type Call =
  | { readonly call: "receive"; readonly key: string; readonly messages: readonly Message[] }
  | {
      readonly call: "record";
      readonly sessionId: string;
      readonly messages: readonly Message[];
      readonly tokens: number;
    }
  | { readonly call: "rewrite"; readonly sessionId: string; readonly messages: readonly Message[] }
  | { readonly call: "reset"; readonly key: string }
  | { readonly call: "title"; readonly sessionId: string; readonly title: string }
  | { readonly call: "index" };

/** One life of a writer: the calls that returned, with the session each one named, and the one that did not. */
export interface Journal {
  readonly done: readonly { readonly call: Call; readonly sessionId: string | undefined }[];
  readonly pending: Call | null;
}

export interface State {
  sessions: Record<string, SessionState>;
  /** Key to session id. */
  routes: Record<string, string>;
}

interface SessionState {
  key: string;
  title: string | null;
  tokens: number;
  ended: boolean;
  /** In the order of `seq`, which has no gaps. */
  messages: { text: string; superseded: boolean }[];
}

export function readJournal(output: string): Journal {
  const done: { call: Call; sessionId: string | undefined }[] = [];
  let pending: Call | null = null;
  for (const line of output.split("\n").slice(0, -1)) {
    const said = JSON.parse(line) as { begun?: Call; done?: { sessionId?: string } };
    if (said.begun) {
      pending = said.begun;
    } else if (pending) {
      done.push({ call: pending, sessionId: said.done?.sessionId });
      pending = null;
    }
  }
  return { done, pending };
}

/** Changes the state as the call does. `named` is the session that the call answered with, which it may have begun. */
export function apply(state: State, call: Call, named: string | undefined): void {
  switch (call.call) {
    case "receive": {
      const id = state.routes[call.key] ?? begin(state, call.key, named);
      sessionOf(state, id).messages.push(...call.messages.map(active));
      return;
    }
    case "record": {
      const session = sessionOf(state, call.sessionId);
      session.messages.push(...call.messages.map(active));
      session.tokens += call.tokens;
      return;
    }
    case "rewrite": {
      const session = sessionOf(state, call.sessionId);
      const present = session.messages.filter(({ superseded }) => !superseded);
      const wanted = call.messages.map(active);
      const differs = wanted.findIndex((message, index) => message.text !== present[index]?.text);
      const kept = differs < 0 ? wanted.length : differs;
      for (const message of present.slice(kept)) message.superseded = true;
      session.messages.push(...wanted.slice(kept));
      return;
    }
    case "reset": {
      const old = state.routes[call.key];
      if (old !== undefined) sessionOf(state, old).ended = true;
      begin(state, call.key, named);
      return;
    }
    case "title":
      sessionOf(state, call.sessionId).title = call.title;
      return;
    case "index":
      return;
    default:
      call satisfies never;
  }
}

/** A message as it is compared: everything but its times. */
function messageText(message: Message): string {
  const { role, content } = message;
  const toolCalls = message.role === "assistant" ? (message.toolCalls ?? null) : null;
  const toolCallId = message.role === "tool" ? message.toolCallId : null;
  return JSON.stringify([role, content, toolCallId, toolCalls]);
}

function active(message: Message): { text: string; superseded: boolean } {
  return { text: messageText(message), superseded: false };
}

function begin(state: State, key: string, named: string | undefined): string {
  if (named === undefined) throw new Error(`A session of ${key} should have begun, and there is none.`);
  state.sessions[named] = { key, title: null, tokens: 0, ended: false, messages: [] };
  state.routes[key] = named;
  return named;
}

function sessionOf(state: State, id: string): SessionState {
  const session = state.sessions[id];
  if (!session) throw new Error(`The journal speaks of session ${id}, which it never began.`);
  return session;
}
