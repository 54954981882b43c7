/** A question of a script in a terminal: one key answers it, and the terminal is given back. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { KeyedQuestions } from "./keyed-questions.js";

class Keyboard extends EventEmitter {
  isRaw = false;
  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
  press(keys: string): void {
    this.emit("data", Buffer.from(keys));
  }
}

function world() {
  const input = new Keyboard();
  const stderr = new PassThrough();
  const pressed: string[] = [];
  const onStop = vi.fn();
  let now = 0;
  let isAccepted = true;
  const questions = new KeyedQuestions({
    // The terminal, as far as it is used here.
    input: input as unknown as ConstructorParameters<typeof KeyedQuestions>[0]["input"],
    stderr,
    clock: () => now,
    press: async (command) => {
      pressed.push(command);
      return isAccepted;
    },
    onStop,
  });
  const ask = (deliveryId: string) => {
    const answers = { yes: `/yes ${deliveryId}`, no: `/no ${deliveryId}` };
    const question = { deliveryId, what: `rm ${deliveryId}`, answers };
    questions.asked(question);
    questions.printed(deliveryId);
    return question;
  };
  const said = () => String(stderr.read() ?? "");
  return {
    ...{ input, pressed, onStop, questions, ask, said },
    pass: (ms: number) => {
      now += ms;
    },
    refuse: () => {
      isAccepted = false;
    },
  };
}

test("one key answers, but none that was typed before the question could be read", async () => {
  const { input, pressed, questions, ask, said, pass } = world();
  expect(input.isRaw).toBe(false);
  const question = ask("a");
  expect(said()).toBe("rm a\nwaiting for you: y / n ");
  expect(input.isRaw).toBe(true);
  input.press("y");
  pass(600);
  input.press("x");
  expect(pressed).toEqual([]);
  input.press("Y");
  expect(pressed).toEqual(["/yes a"]);
  questions.answered(question, "");
  await vi.waitFor(() => expect(input.isRaw).toBe(false));
  expect(said()).toBe("Y\n");
  input.press("n");
  expect(pressed).toEqual(["/yes a"]);
});

test("of several, the oldest comes first; an answer that was not accepted is asked for again", async () => {
  const { input, pressed, ask, said, pass, refuse } = world();
  ask("a");
  ask("b");
  expect(said()).toContain("1 of 2: rm a\nwaiting for you: y / n ");
  pass(600);
  refuse();
  input.press("n");
  expect(pressed).toEqual(["/no a"]);
  await vi.waitFor(() => expect(said()).toMatch(/waiting for you: y \/ n $/));
  input.press("n");
  expect(pressed).toEqual(["/no a"]);
});

test("Ctrl-C and Ctrl-D stop, and a question that nobody answered says so", () => {
  const { input, onStop, pressed, questions, ask, said } = world();
  const question = ask("a");
  input.press("\u0003");
  input.press("\u0004");
  expect(onStop).toHaveBeenCalledTimes(2);
  said();
  questions.answered(question, "Nobody answered in time.");
  expect(said()).toBe("\nNobody answered in time.\n");
  expect([input.isRaw, pressed]).toEqual([false, []]);
});
