/**
 * An answer as JSON events, one a line: `text`, `reasoning`, `tool call`, `tool result`, `message` (the words of a step,
 * whole), `file` (where one is that belongs to the answer), `notice`, `retry` (the model is asked again after a wait), and
 * `error` (why there is no answer) and `done` last, with the session, the model and what it used if a turn answered. Harmless to look at: controls, bidi marks and invisible breaks are written as escapes.
 */
import type { Writable } from "node:stream";
import type { ToolCall } from "../../session/transcript.js";
import type { ModelRetry, TurnFacts } from "../../session/turn-facts.js";
import { type ScriptOutcome, type ScriptOutput, UNFINISHED } from "./script-output.js";
import { pathOf } from "./terminal-source.js";

type ScriptEvent =
  | { readonly kind: "text" | "reasoning" | "message" | "notice"; readonly text: string }
  | { readonly kind: "tool call"; readonly call: ToolCall }
  | { readonly kind: "tool result"; readonly call: ToolCall; readonly content: string }
  | { readonly kind: "file"; readonly path: string; readonly name: string; readonly mediaType: string }
  | ({ readonly kind: "retry" } & ModelRetry)
  | { readonly kind: "error"; readonly message: string }
  | ({ readonly kind: "done"; readonly outcome: ScriptOutcome } & Partial<
      Omit<TurnFacts, "asked" | "error">
    >);

/** A question that was not asked: `refused` if it was typed wrong. */
export function jsonFailure(stdout: Writable, outcome: "failed" | "refused", message: string): void {
  jsonOutput(stdout).done(outcome, null, message);
}

export function jsonOutput(stdout: Writable): ScriptOutput {
  let words = "";
  const put = (event: ScriptEvent) => stdout.write(`${jsonLine(event)}\n`);
  const endStep = () => {
    if (words !== "") put({ kind: "message", text: words });
    words = "";
  };
  return {
    text: (text) => {
      words += text;
      put({ kind: "text", text });
    },
    reasoning: (text) => put({ kind: "reasoning", text }),
    toolCall: (call) => {
      endStep();
      put({ kind: "tool call", call });
    },
    toolResult: (call, content) => put({ kind: "tool result", call, content }),
    message: (text) => put({ kind: "message", text }),
    file: (file) => put({ kind: "file", path: pathOf(file), name: file.name, mediaType: file.mediaType }),
    notice: (text) => put({ kind: "notice", text }),
    endLine: () => {},
    ended: endStep,
    retry: ({ reason, waitMs, attempt, attempts }) =>
      put({ kind: "retry", reason, waitMs, attempt, attempts }),
    done: (outcome, facts, error) => {
      const { sessionId, model, usage } = facts ?? {};
      if (outcome !== "done") put({ kind: "error", message: error ?? facts?.error ?? UNFINISHED[outcome] });
      put({ kind: "done", outcome, ...(facts ? { sessionId, model, usage } : {}) });
    },
  };
}

function jsonLine(event: ScriptEvent): string {
  return JSON.stringify(event).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e0fff}]/gu,
    (character) =>
      Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
      ).join(""),
  );
}
