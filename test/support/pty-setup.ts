/** `baton setup` in a real terminal, answered question by question. */
import { join } from "node:path";
import { PtyChat } from "../terminal/pty-chat.js";

/** Answers each question, in the order in which they come. */
export async function answerSetup(
  home: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  ...answers: readonly (readonly [question: string, keys: string])[]
): Promise<{ code: number; output: string }> {
  const variables = Object.entries({ HOME: join(home, ".."), TZ: "UTC", BATON_HOME: home, ...env });
  const set = variables.map(([name, value]) => `${name}='${value}'`).join(" ");
  const command = ["dist/main.js", "setup", ...words].join(" ");
  const chat = new PtyChat({ columns: 100, rows: 60, shell: `${set} exec '${process.execPath}' ${command}` });
  let seen = 0;
  for (const [question, keys] of answers) {
    await chat.until(() => chat.raw.includes(question, seen));
    seen = chat.raw.indexOf(question, seen) + question.length;
    chat.type(keys);
  }
  return { code: await chat.exited, output: chat.raw };
}
