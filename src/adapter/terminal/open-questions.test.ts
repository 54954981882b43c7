/** Which question a key answers, and when it answers none. */
import { expect, test } from "vitest";
import { OpenQuestions } from "./open-questions.js";

function question(deliveryId: string, what = `rm ${deliveryId}`, canBeAlways = true) {
  const answers = ["yes", "no", ...(canBeAlways ? ["always"] : [])];
  return {
    ...{ deliveryId, what },
    answers: Object.fromEntries(answers.map((word) => [word, `/${word} ${deliveryId}`])),
  };
}

/** Asked, printed and drawn at the time 0. */
function shown(...ids: string[]): OpenQuestions {
  const questions = new OpenQuestions();
  for (const id of ids) questions.ask(question(id));
  for (const id of ids) questions.printed(id);
  questions.drawn(0);
  return questions;
}

test("a key or a word answers; other text does not", () => {
  const questions = shown("a");
  const commandOf = (text: string) => questions.answerBy(text, 1_000)?.command;
  expect(["y", "Y", "yes", "n", "no", "a", "always"].map(commandOf)).toEqual([
    ...["/yes a", "/yes a", "/yes a", "/no a", "/no a", "/always a", "/always a"],
  ]);
  expect(["", "ye", "yy", "x", "yes, but", "\u202ey"].map(commandOf)).toEqual(Array(6).fill(undefined));
});

test("a key before the question was on the screen for a moment answers nothing", () => {
  const questions = new OpenQuestions();
  questions.drawn(0);
  questions.ask(question("a"));
  expect(questions.next).toBeNull();
  questions.drawn(100);
  expect(questions.answerBy("y", 10_000)).toBeNull();
  questions.printed("a");
  expect(questions.answerBy("y", 10_000)).toBeNull();
  questions.drawn(10_000);
  expect(questions.answerBy("y", 10_499)).toBeNull();
  questions.drawn(10_300);
  expect(questions.answerBy("y", 10_500)?.command).toBe("/yes a");
});

test("the oldest is next, and the one after it was not read yet", () => {
  const questions = shown("a", "b");
  expect(questions.next).toEqual({ what: "1 of 2: rm a", keys: "y / n / a(lways here)" });
  const answer = questions.answerBy("y", 1_000);
  expect(answer?.question.deliveryId).toBe("a");
  if (answer) questions.close(answer.question);
  expect(questions.next).toEqual({ what: "rm b", keys: "y / n / a(lways here)" });
  expect(questions.answerBy("y", 1_010)).toBeNull();
  questions.drawn(1_020);
  expect(questions.answerBy("y", 1_030)).toBeNull();
  expect(questions.answerBy("y", 1_520)?.question.deliveryId).toBe("b");
});

test("without always there is no key for it, and a closed question has none", () => {
  const questions = new OpenQuestions();
  const only = question("a", "rm\n\u001b[2Ja", false);
  questions.ask(only);
  questions.printed("a");
  questions.drawn(0);
  expect(questions.next).toEqual({ what: "rm a", keys: "y / n" });
  expect(questions.answerBy("a", 1_000)).toBeNull();
  expect(questions.close(only)).toBe(true);
  expect(questions.close(only)).toBe(false);
  expect(questions.answerBy("y", 1_000)).toBeNull();
  questions.printed("a");
  expect(questions.next).toBeNull();
  questions.reopen(only);
  expect(questions.next?.what).toBe("rm a");
});
