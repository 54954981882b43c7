/** Which question a key answers, and when it answers none. */
import { expect, test } from "vitest";
import { PassingTime } from "../../../test/support/passing-time.js";
import { OpenQuestions, type PressedAnswer } from "./open-questions.js";

function question(deliveryId: string, number = 1, canBeAlways = true) {
  const answers = ["yes", "no", ...(canBeAlways ? ["always"] : [])];
  return {
    ...{ deliveryId, number, what: `rm\n\u001b[2J${deliveryId}` },
    answers: Object.fromEntries(answers.map((word) => [word, `/${word} ${deliveryId}`])),
  };
}

function world() {
  const time = new PassingTime();
  const told: string[] = [];
  const questions = new OpenQuestions({
    later: time.later,
    onReady: () => told.push("ready"),
    onAnswer: ({ command }: PressedAnswer) => told.push(command),
  });
  const draw = async (ms: number) => {
    questions.drawn();
    await time.pass(ms);
  };
  /** Asked, printed, and there for a moment. */
  const shown = async (...all: ReturnType<typeof question>[]) => {
    for (const each of all) questions.ask(each);
    for (const each of all) questions.printed(each.deliveryId);
    await draw(500);
  };
  return { time, told, questions, draw, shown };
}

test("a letter answers; other text does not", async () => {
  const { questions, shown } = world();
  await shown(question("a"));
  const commandOf = (text: string) => questions.answerBy(text)?.command;
  expect(["y", "Y", "n", "a"].map(commandOf)).toEqual(["/yes a", "/yes a", "/no a", "/always a"]);
  expect(["", "yes", "ye", "yy", "x", "\u202ey"].map(commandOf)).toEqual(Array(6).fill(undefined));
});

test("keys count when the question was on the screen for a moment, and are shown only then", async () => {
  const { questions, told, draw } = world();
  await draw(100);
  questions.ask(question("a"));
  expect(questions.next).toBeNull();
  await draw(10_000);
  expect(questions.answerBy("y")).toBeNull();
  questions.printed("a");
  expect(questions.next).toEqual({ what: "rm a", keys: null, isHeld: false });
  await draw(300);
  await draw(199);
  expect([questions.answerBy("y"), questions.answerIn("yes"), told]).toEqual([null, null, []]);
  await draw(1);
  expect(questions.next?.keys).toBe("y / n / a(lways here)");
  expect([questions.answerBy("y")?.command, told]).toEqual(["/yes a", ["ready"]]);
});

test("the oldest is next, and the one after it was not read yet", async () => {
  const { questions, shown, draw } = world();
  await shown(question("a", 7), question("b", 8));
  expect(questions.next?.what).toBe("question 7, 1 of 2: rm a");
  const answer = questions.answerBy("y");
  expect(answer?.question.deliveryId).toBe("a");
  if (answer) questions.close(answer.question);
  expect(questions.next).toMatchObject({ what: "rm b", keys: null });
  expect(questions.answerBy("y")).toBeNull();
  await draw(499);
  expect(questions.answerBy("y")).toBeNull();
  await draw(1);
  expect(questions.answerBy("y")?.question.deliveryId).toBe("b");
});

test("a word answers the next question, and one with a number that question", async () => {
  const { questions, shown } = world();
  await shown(question("a", 1, false));
  const commandOf = (line: string) => questions.answerIn(line)?.command;
  expect(["yes", "Nein.", "ok 1", "n #1"].map(commandOf)).toEqual(["/yes a", "/no a", "/yes a", "/no a"]);
  expect(["always", "yes 2", "are you sure?", "yes, but"].map(commandOf)).toEqual(Array(4).fill(undefined));
  await shown(question("b", 2));
  expect(["yes", "yes 2", "always 2", "no 1"].map(commandOf)).toEqual([
    ...["/yes a", "/yes b", "/always b", "/no a"],
  ]);
});

test("without always there is no key for it, and a closed question has none", async () => {
  const { questions, shown } = world();
  const only = question("a", 1, false);
  await shown(only);
  expect(questions.next?.keys).toBe("y / n");
  expect(questions.answerBy("a")).toBeNull();
  expect(questions.close(only)).toBe(true);
  expect(questions.close(only)).toBe(false);
  expect(questions.answerBy("y")).toBeNull();
  questions.printed("a");
  expect(questions.next).toBeNull();
  questions.reopen(only);
  expect(questions.next?.what).toBe("rm a");
});

test("a letter that is held answers if no other key follows soon", async () => {
  const { questions, told, time, shown } = world();
  await shown(question("a"));
  questions.hold("y");
  expect(questions.next?.isHeld).toBe(true);
  await time.pass(399);
  expect(told).toEqual(["ready"]);
  await time.pass(1);
  expect(told).toEqual(["ready", "/yes a"]);
  expect(questions.next?.isHeld).toBe(false);
});

test("another key takes it, and only Enter lets it answer then", async () => {
  const { questions, told, time, shown } = world();
  await shown(question("a"));
  questions.hold("a");
  expect(questions.take()?.command).toBe("/always a");
  expect(questions.take()).toBeNull();
  questions.hold("x");
  expect(questions.take()).toBeNull();
  await time.pass(10_000);
  expect(told).toEqual(["ready"]);
});

test("a letter that is held answers no other question", async () => {
  const { questions, told, time, shown } = world();
  const first = question("a", 1);
  await shown(first, question("b", 2));
  questions.hold("y");
  questions.close(first);
  questions.drawn();
  await time.pass(10_000);
  expect(told).toEqual(["ready", "ready"]);
});
