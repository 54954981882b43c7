/** What all setup questions share: their streams, and how to cancel. */
import type { ReadStream, WriteStream } from "node:tty";
import * as clack from "@clack/prompts";

export interface Streams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

class Cancelled extends Error {}

/** Null if the user pressed Ctrl-C at any question. */
export async function unlessLeft<Answer>(asking: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof Cancelled) return null;
    throw error;
  }
}

/**
 * Between questions the terminal does not echo: text that is typed too early, perhaps a secret, stays hidden and answers
 * the next question. Each question by itself would turn the echo on again.
 */
export async function unechoed<Answer>({ input }: Streams, asking: () => Promise<Answer>): Promise<Answer> {
  input.setRawMode(true);
  const ofTheTerminal = input.setRawMode;
  input.setRawMode = () => input;
  try {
    return await asking();
  } finally {
    input.setRawMode = ofTheTerminal;
    input.setRawMode(false);
  }
}

export function given<Value>(answer: Value): Exclude<Value, symbol> {
  if (clack.isCancel(answer)) leave();
  return answer as Exclude<Value, symbol>;
}

export function leave(): never {
  throw new Cancelled();
}

export function initially(value: string | null): { initialValue?: string } {
  return value === null ? {} : { initialValue: value };
}
