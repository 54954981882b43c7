/** A question in a process that is busy just then: it reads what is typed only when this file is there, and later. */
import { existsSync } from "node:fs";
import { KeyedQuestions } from "../../src/adapter/terminal/keyed-questions.js";
import { laterThanKeys } from "../../src/adapter/terminal/keys-read.js";

const [typed = ""] = process.argv.slice(2);
const questions = new KeyedQuestions({
  input: process.stdin,
  stderr: process.stderr,
  later: laterThanKeys,
  press: async (command) => {
    process.stdout.write(`pressed ${command}\n`);
    questions.close();
    process.exit();
  },
  onStop: () => process.exit(1),
});
const question = { deliveryId: "1", number: 1, what: "rm it", answers: { yes: "/approve", no: "/deny" } };
questions.asked(question);
questions.printed("1");
while (!existsSync(typed)); // Nothing is read meanwhile.
const until = performance.now() + 1_000;
while (performance.now() < until); // Keys would count by now.
