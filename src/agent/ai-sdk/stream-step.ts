/**
 * Makes one request and reads its stream to the end: emits words as they come, then returns the step. It ends when the
 * signal aborts, and fails if no first word comes, the stream goes silent, is endless, or ends too early.
 */
import type { ToolCall } from "../../session/transcript.js";
import { shorten, storableText } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import { type FailureKind, StreamFailure } from "./failure.js";
import type { ReasoningPart } from "./prompt.js";
import type { FinishReason, LanguageModel, ModelRequest, ModelUsage, StreamPart } from "./provider.js";
import { ThinkTags, type ThoughtPiece } from "./think-tags.js";

export interface StreamLimits {
  /** How long the first word, thought or call may take; headers and comments do not count. */
  readonly firstWordMs: number;
  /** How long the stream may stay silent after that. */
  readonly silenceMs: number;
  /** How many characters a step may have: words, thoughts and arguments together. */
  readonly maxCharacters: number;
}

export type StreamPiece = { readonly kind: "text" | "reasoning"; readonly text: string };

export interface Step {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** As its provider wants it back. */
  readonly reasoning: readonly ReasoningPart[];
  /** The same in words, also those that stood between tags in the text. */
  readonly thoughts: string;
  readonly usage: ModelUsage | null;
  readonly finish: FinishReason | null;
  /** The model that answered, as the answer names it; null if it does not. */
  readonly model: string | null;
}

export async function* streamStep(
  model: LanguageModel,
  request: ModelRequest,
  signal: AbortSignal,
  limits: StreamLimits,
): AsyncGenerator<StreamPiece, Step> {
  const own = new AbortController();
  let late: FailureKind | null = null;
  const giveUp = (kind: FailureKind): void => {
    late ??= kind;
    own.abort();
  };
  const firstWord = setTimeout(giveUp, timerMs(limits.firstWordMs), "no word");
  const silence = setTimeout(giveUp, timerMs(limits.silenceMs), "silent");
  const reading = new StreamReading(limits.maxCharacters);
  try {
    const abortSignal = AbortSignal.any([signal, own.signal]);
    const { stream } = await model.doStream({ ...request, abortSignal });
    const reader = stream.getReader();
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) break;
      silence.refresh();
      if (isSaid(value)) clearTimeout(firstWord);
      yield* reading.take(value);
    }
    yield* reading.rest();
    if (!signal.aborted && reading.finish === null) throw new StreamFailure("broken");
  } catch (error) {
    if (late) throw new StreamFailure(late);
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(firstWord);
    clearTimeout(silence);
    own.abort(); // We ignore what still comes.
  }
  return reading.step();
}

/** The start of a stream and its metadata are not words of the model. */
function isSaid({ type }: StreamPart): boolean {
  return !["stream-start", "response-metadata", "raw"].includes(type);
}

/** Of a model. A server may write anything there. */
const LONGEST_NAME = 200;

/** What has come of a step so far. */
class StreamReading {
  finish: FinishReason | null = null;
  #text = "";
  #thoughts = "";
  #usage: ModelUsage | null = null;
  #model: string | null = null;
  readonly #calls: ToolCall[] = [];
  readonly #reasoning = new Map<string, ReasoningPart>();
  readonly #tags = new ThinkTags();
  readonly #halves = { text: "", reasoning: "" };
  #left: number;

  constructor(maxCharacters: number) {
    this.#left = maxCharacters;
  }

  take(part: StreamPart): readonly StreamPiece[] {
    switch (part.type) {
      case "text-delta":
        return this.#say(this.#tags.push(this.#whole("text", part.delta)));
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end": {
        const delta = part.type === "reasoning-delta" ? part.delta : "";
        this.#think(part.id, delta, part.providerMetadata);
        const text = this.#whole("reasoning", delta);
        return text === "" ? [] : this.#say([{ kind: "reasoning", text }]);
      }
      case "tool-input-delta":
        this.#count(part.delta);
        return [];
      case "tool-call":
        this.#calls.push({
          id: storableText(part.toolCallId),
          name: storableText(part.toolName),
          arguments: storableText(part.input.trim() === "" ? "{}" : part.input),
        });
        return [];
      case "response-metadata":
        if (part.modelId) this.#model = shorten(storableText(part.modelId), LONGEST_NAME);
        return [];
      case "finish":
        this.finish = part.finishReason.unified;
        this.#usage = part.usage;
        return [];
      case "error":
        throw part.error;
      default:
        return []; // Sources, files and the like: nothing to say.
    }
  }

  /** What was held back, if nothing more comes. */
  rest(): readonly StreamPiece[] {
    return this.#say(this.#tags.end());
  }

  step(): Step {
    return {
      text: this.#text,
      calls: this.#calls,
      reasoning: [...this.#reasoning.values()],
      thoughts: this.#thoughts,
      usage: this.#usage,
      finish: this.finish,
      model: this.#model,
    };
  }

  #say(pieces: readonly ThoughtPiece[]): readonly StreamPiece[] {
    for (const { kind, text } of pieces) {
      if (kind === "text") this.#text += text;
      else this.#thoughts += text;
    }
    return pieces;
  }

  #think(id: string, delta: string, metadata: ReasoningPart["providerOptions"]): void {
    const before = this.#reasoning.get(id);
    const anthropic = { ...before?.providerOptions?.anthropic, ...metadata?.anthropic };
    this.#reasoning.set(id, {
      type: "reasoning",
      text: (before?.text ?? "") + delta,
      ...(Object.keys(anthropic).length > 0 ? { providerOptions: { anthropic } } : {}),
    });
  }

  /** Text that every store accepts: half of a surrogate pair waits for its other half. */
  #whole(kind: "text" | "reasoning", delta: string): string {
    this.#count(delta);
    const text = this.#halves[kind] + delta;
    const end = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    this.#halves[kind] = text.slice(end);
    return storableText(text.slice(0, end));
  }

  #count(delta: string): void {
    this.#left -= delta.length;
    if (this.#left < 0) throw new StreamFailure("endless");
  }
}
