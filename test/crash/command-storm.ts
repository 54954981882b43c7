/**
 * The command `baton gateway` as people run it, with its config file, Telegram and a model that streams, both on loopback:
 * killed again and again with SIGKILL after a random number of calls, begun again, and in the end left to settle. Then the
 * chats are looked at, as people see them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ModelServer, type Reply, type SeenRequest } from "../support/model-server.js";
import { randomFrom } from "../support/random.mjs";
import { TelegramServer } from "../support/telegram-server.js";
import { type CommandTally, checkChats, partsOfAnswer } from "./command-check.js";
import { isSettled } from "./handoff-check.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const PEOPLE = [100001, 100002, 100003];
/** The most calls that a process lives, unless it has answered all before. */
const MOST_CALLS = 10;
/** Between the pieces of an answer. */
const PAUSE_MS = 30;
/** How long an answer takes that is shown while it is written; one person gets these. */
const SHOWN_MS = 2_200;
/** It hangs: on a machine that is kept busy it may take its time. */
const LONGEST_MS = 240_000;

/** How many lives it may take for a kill that hits something: one that has answered all before proves little. */
const LIVES_A_KILL = 10;

/** Kills so many times in the middle of something. Throws at the first thing that is not as it should be. */
export async function stormCommand(midway: number, seed: number): Promise<CommandTally> {
  const storm = await CommandStorm.begin(randomFrom(seed));
  try {
    let kills = 0;
    for (; storm.midway < midway; kills++) {
      if (kills === midway * LIVES_A_KILL)
        throw new Error(`Of ${kills} kills ${storm.midway} hit something.`);
      await storm.liveAndDie();
    }
    await storm.settle();
    return storm.check(kills);
  } finally {
    await storm.end();
  }
}

class CommandStorm {
  readonly #written = new Map<number, number[]>(PEOPLE.map((person) => [person, []]));
  readonly #folder = mkdtempSync(join(tmpdir(), "baton-command-"));
  readonly #random: () => number;
  readonly #telegram: TelegramServer;
  readonly #model: ModelServer;
  #child: ChildProcess | undefined;
  #said = "";
  #numbers = 0;
  #lastUpdate = 0;
  /** Kills in the middle of something. */
  midway = 0;

  static async begin(random: () => number): Promise<CommandStorm> {
    return new CommandStorm(random, await TelegramServer.start(), await ModelServer.start(answering));
  }

  private constructor(random: () => number, telegram: TelegramServer, model: ModelServer) {
    this.#random = random;
    this.#telegram = telegram;
    this.#model = model;
    for (const name of ["home", "work"]) mkdirSync(join(this.#folder, name), { mode: 0o700 });
    const config = {
      agent: { provider: "openai-compatible", baseUrl: model.url, model: "model-a" },
      busy: { default: "queue", momentSeconds: 0 },
      people: { owners: { telegram: PEOPLE.map(String) } },
      platforms: { telegram: { baseUrl: telegram.url } },
    };
    writeFileSync(join(this.#home, "config.yaml"), JSON.stringify(config), { mode: 0o600 }); // JSON is YAML.
  }

  /** Everybody writes, and the process is killed in the middle of it, while it starts, or when it has answered all. */
  async liveAndDie(): Promise<void> {
    for (const person of PEOPLE) await this.#write(person);
    const until = this.#calls + 1 + Math.floor(this.#random() * MOST_CALLS);
    const child = this.#start();
    await this.#until(child, () => this.#calls >= until || this.#isSettled);
    if (!this.#isSettled) this.midway += 1;
    await this.#kill();
  }

  async settle(): Promise<void> {
    let calm = 0;
    await this.#until(this.#start(), () => {
      calm = this.#isSettled ? calm + 1 : 0;
      return calm === 3;
    });
  }

  async #until(child: ChildProcess, holds: () => boolean): Promise<void> {
    const deadline = Date.now() + LONGEST_MS;
    for (; !holds(); await sleep(10)) {
      if (child.exitCode !== null) this.#fail("It ended by itself");
      if (Date.now() > deadline) this.#fail("It does not come to an end");
    }
  }

  /** All that was written arrived, and nothing of it is open. */
  get #isSettled(): boolean {
    return this.#telegram.confirmed >= this.#lastUpdate && isSettled(this.#path).length === 0;
  }

  check(kills: number): CommandTally {
    const chats = PEOPLE.map((person) => ({
      numbers: this.#written.get(person) ?? [],
      shown: this.#telegram.sentTo(String(person)).map(({ text }) => text),
    }));
    const growing = ["editMessageText", "sendMessageDraft"];
    const streamed = this.#telegram.calls.filter(({ method }) => growing.includes(method)).length;
    return checkChats(this.#path, chats, { kills, midway: this.midway, streamed });
  }

  async end(): Promise<void> {
    await this.#kill();
    await Promise.all([this.#telegram.close(), this.#model.close()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #write(person: number): Promise<void> {
    const number = ++this.#numbers;
    this.#written.get(person)?.push(number);
    const text = `message ${number}`;
    const { updateId } = await this.#telegram.inject({ chatId: String(person), fromId: person, text });
    this.#lastUpdate = updateId;
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [MAIN, "gateway"], {
      cwd: join(this.#folder, "work"),
      env: {
        PATH: process.env.PATH ?? "",
        HOME: this.#folder,
        BATON_HOME: this.#home,
        TELEGRAM_BOT_TOKEN: this.#telegram.token,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
      });
    this.#child = child;
    return child;
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  }

  /** What both servers were asked, but for the polls. */
  get #calls(): number {
    return this.#telegram.calls.length + this.#model.requests.length;
  }

  #fail(what: string): never {
    throw new Error(`${what}. It said: ${this.#said.slice(-2_000)}`);
  }

  get #home(): string {
    return join(this.#folder, "home");
  }

  get #path(): string {
    return join(this.#home, "baton.db");
  }
}

/** The model answers the last message, in pieces. */
function answering({ body }: SeenRequest): Reply {
  const asked = body.messages.findLast(({ role }: { role: string }) => role === "user");
  // What was given up stands before it.
  const number = Number([...JSON.stringify(asked.content).matchAll(/message (\d+)/g)].at(-1)?.[1]);
  const text = partsOfAnswer(number);
  return { text, pauseMs: number % PEOPLE.length === 0 ? SHOWN_MS / text.length : PAUSE_MS };
}
