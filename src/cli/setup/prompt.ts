/** What all setup questions share: their streams, and how to cancel. */
import type { ReadStream, WriteStream } from "node:tty";
import * as clack from "@clack/prompts";

export interface Streams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

const CTRL_C = "\u0003";

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

/** Ctrl-C also works while nobody is asked; other keys that come meanwhile answer the next question. */
export async function whileWaiting<Answer>({ input }: Streams, work: Promise<Answer>): Promise<Answer> {
  let early = Buffer.alloc(0);
  let hear: (typed: Buffer) => void = () => {};
  const left = new Promise<never>((_, reject) => {
    hear = (typed) => {
      early = Buffer.concat([early, Buffer.from(typed)]);
      if (typed.includes(CTRL_C)) reject(new Cancelled());
    };
  });
  input.on("data", hear).resume();
  try {
    return await Promise.race([work, left]);
  } finally {
    input.off("data", hear);
    input.pause();
    if (early.length > 0) input.unshift(early);
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
