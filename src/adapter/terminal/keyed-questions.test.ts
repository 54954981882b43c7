/** A question of a script in a terminal: a key or a word answers it, and the terminal is given back. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { PassingTime } from "../../../test/support/passing-time.js";
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
  const time = new PassingTime();
  let isAccepted = true;
  const questions = new KeyedQuestions({
    // The terminal, as far as it is used here.
    input: input as unknown as ConstructorParameters<typeof KeyedQuestions>[0]["input"],
    ...{ stderr, later: time.later },
    press: async (command) => {
      pressed.push(command);
      return isAccepted;
    },
    onStop,
  });
  const ask = (deliveryId: string, number = 1) => {
    const answers = { yes: `/yes ${deliveryId}`, no: `/no ${deliveryId}` };
    const question = { deliveryId, number, what: `rm ${deliveryId}`, answers };
    questions.asked(question);
    questions.printed(deliveryId);
    return question;
  };
  const said = () => String(stderr.read() ?? "");
  return {
    ...{ input, pressed, onStop, questions, ask, said, time },
    refuse: () => {
      isAccepted = false;
    },
  };
}

test("one key answers, but none that was typed before the question could be read", async () => {
  const { input, pressed, questions, ask, said, time } = world();
  expect(input.isRaw).toBe(false);
  const question = ask("a");
  expect(said()).toBe("rm a\nwaiting for you: ");
  expect(input.isRaw).toBe(true);
  input.press("y\r");
  await time.pass(500);
  expect(said()).toBe("y / n ");
  input.press("Y");
  expect([said(), pressed]).toEqual(["Y", []]);
  await time.pass(400);
  expect(pressed).toEqual(["/yes a"]);
  questions.answered(question, "");
  await vi.waitFor(() => expect(input.isRaw).toBe(false));
  expect(said()).toBe("\n");
  input.press("n");
  expect(pressed).toEqual(["/yes a"]);
});

test.each([
  ["y\r", "/yes a"],
  ["no\n", "/no a"],
  ["x\u007fn\r", "/no a"],
  ["\u001b[Ay\r", "/yes a"],
  ["yes 2\r", "/yes b"],
])("what was typed in one go, %j, is %s", async (keys, command) => {
  const { input, pressed, ask, time } = world();
  ask("a");
  ask("b", 2);
  await time.pass(500);
  input.press(keys);
  expect(pressed).toEqual([command]);
});

test("a letter of another word answers nothing; Enter asks again", async () => {
  const { input, pressed, ask, said, time } = world();
  ask("a");
  await time.pass(500);
  said();
  input.press("n");
  input.press("ever");
  await time.pass(10_000);
  expect([said(), pressed]).toEqual(["never", []]);
  input.press("\r");
  expect(said()).toBe("\nrm a\nwaiting for you: y / n ");
  input.press("y\u007f");
  await time.pass(10_000);
  expect([said(), pressed]).toEqual(["y\b \b", []]);
  input.press("y".repeat(1_000));
  expect(said()).toHaveLength(40);
});

test("of several, the oldest comes first; an answer that was not accepted is asked for again", async () => {
  const { input, pressed, ask, said, time, refuse } = world();
  ask("a", 1);
  ask("b", 2);
  await time.pass(500);
  expect(said()).toMatch(/question 1, 1 of 2: rm a\nwaiting for you: y \/ n $/);
  refuse();
  input.press("n\r");
  expect(pressed).toEqual(["/no a"]);
  await time.pass(0);
  await time.pass(499);
  input.press("n\r");
  expect(pressed).toEqual(["/no a"]);
  expect(said()).toMatch(/question 2, 1 of 2: rm b\nwaiting for you: $/);
  await time.pass(1);
  input.press("n\r");
  expect(pressed).toEqual(["/no a", "/no b"]);
  await time.pass(0);
  await time.pass(500);
  input.press("n\r");
  expect(pressed).toEqual(["/no a", "/no b", "/no a"]);
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
