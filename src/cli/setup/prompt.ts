/** What the questions of a set-up share: where they are asked, and how one leaves them. */
import type { ReadStream, WriteStream } from "node:tty";
import * as clack from "@clack/prompts";

export interface Streams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

class Cancelled extends Error {}

/** Ctrl-C at any question ends them all: then null. */
export async function unlessLeft<Answer>(asking: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof Cancelled) return null;
    throw error;
  }
}

/**
 * From one question to the next the terminal does not echo: what is typed too early, a secret perhaps, is not shown and
 * answers the next one. Each question would turn the echo on when it is answered.
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
