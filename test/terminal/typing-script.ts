/** One run of `baton` in a script of the typing world, which may be ended in many ways. */
import { once } from "node:events";
import { answerMark, answersIn, type LineEnd, lineText, type TypedLine } from "./typing-oracle.js";
import type { Conversation, TypingWorld } from "./typing-world.js";

const LEFT = "no longer in this terminal";

export type ScriptWish =
  | { readonly kind: "new" }
  | { readonly kind: "continue" }
  | { readonly kind: "session"; readonly conversation: Conversation };

/** How it is ended, and when: as it starts, when the model is asked, or when it says something. */
export interface ScriptDeath {
  readonly by: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGKILL" | "closed pipe";
  readonly when: "started" | "asked" | "begun";
}

export async function runScript(
  world: TypingWorld,
  name: string,
  wish: ScriptWish,
  death: ScriptDeath | null,
): Promise<void> {
  if (wish.kind === "new") return run(world, name, ["--new"], world.converse(), death);
  if (wish.kind === "continue")
    return world.unmoved(async () => run(world, name, ["-c"], await world.usual(), death));
  const { conversation } = wish;
  const words = ["--session", String(conversation.sessionId)];
  let over: Promise<void> | undefined;
  await world.unmoved(async () => {
    const lender = world.chats.find((chat) => chat.conversation === conversation);
    const asked = new Promise<void>((resolve) => {
      over = run(world, name, words, conversation, death, resolve).finally(resolve);
    });
    // Where it is may change as soon as the script is in it; but a chat, which goes on, gets it back first.
    await (lender ? over : asked);
    if (lender && death?.by === "SIGKILL") await lender.sayNow();
  });
  return over;
}

async function run(
  world: TypingWorld,
  name: string,
  words: readonly string[],
  conversation: Conversation,
  death: ScriptDeath | null,
  onAsked: () => void = () => {},
): Promise<void> {
  const line = world.line(name, conversation);
  world.note(`${name} runs ${words.join(" ")} to be ended by ${death?.by} when ${death?.when}`, conversation);
  const seen = world.watched(conversation, line);
  const child = world.spawn([...words, `${lineText(line.number)}${death ? " hang" : ""}`]);
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  let isOver = false;
  const closed = once(child, "close").then(([code]) => {
    isOver = true;
    return code as number | null;
  });
  void world
    .eventually(
      () => isOver || world.asked(line) > 0,
      () => `${name} waits`,
    )
    .then(onAsked, () => {}); // It is told below.
  if (death) {
    const moments: Record<ScriptDeath["when"], () => boolean> = {
      started: () => true,
      asked: () => world.asked(line) > 0,
      begun: () => said.stdout.includes(`${answerMark(line.number)} begun`),
    };
    await world.eventually(
      () => isOver || moments[death.when](),
      () => `${name} says ${JSON.stringify(said)}`,
    );
    if (death.by === "closed pipe") child.stdout?.destroy();
    else child.kill(death.by);
    world.count(death.by);
  }
  const code = await world.exit(closed, () => `${name}, which says ${JSON.stringify(said)}`);
  const end = endOf(line, said, code, death, words.includes("--new"));
  if (end === null) world.fault(`${name} (${words.join(" ")}) ended with ${code}: ${JSON.stringify(said)}`);
  else await world.end(line, end);
  if (end !== "answered") return;
  if (answersIn(said.stdout).length !== 1) world.fault(`${name} got ${JSON.stringify(said.stdout)}`);
  await world.learn(conversation, line);
  await seen();
}

/** Null if it makes no sense. */
function endOf(
  { number, isAbandoned }: TypedLine,
  said: { readonly stdout: string; readonly stderr: string },
  code: number | null,
  death: ScriptDeath | null,
  isAlone: boolean,
): LineEnd | null {
  if (code === 0 && answersIn(said.stdout).includes(number)) return "answered";
  if (code === 1 && said.stderr.includes(LEFT)) return "refused";
  if (death === null) return isAbandoned && said.stderr.includes("■ stopped") ? "stopped" : null;
  return death.by === "SIGKILL" && !isAlone ? "killed" : "stopped";
}
