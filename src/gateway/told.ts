/**
 * What the agent is told besides the conversation: the owner's instructions, where it is, and what is remembered about the
 * people there. A turn and `/instructions` ask here, so people see what the model gets. In each session the bytes stay
 * the same from turn to turn, unless something in them changed: so a model's prompt cache works.
 */
import { belongingOf } from "../session/access.js";
import { civilDay } from "../session/civil-day.js";
import {
  buildSessionContext,
  buildSessionContextPrompt,
  buildSessionLabels,
  type HomeChannel,
} from "../session/context.js";
import type { SessionEntry } from "../session/session.js";
import { isShared, type SessionScopes } from "../session/session-key.js";
import type { SessionSource } from "../session/source.js";
import type { Message } from "../session/transcript.js";
import type { Clock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import type { Access } from "./authorize.js";
import type { Homes } from "./homes.js";
import type { MemoryDesk } from "./memory/desk.js";
import { turnMemory } from "./memory/turn-memory.js";
import type { MemoryReader } from "./memory/whose.js";
import { resetNote } from "./reset-words.js";
import type { Served } from "./served.js";

/** Words of the person who runs the gateway, for every conversation. */
export interface Instruction {
  /** Where they come from, as after "from": "agent.instructions in the settings". */
  readonly from: string;
  readonly text: string;
  /** A sentence for that person, if something of them is missing. */
  readonly problem: string | null;
}

/** What a gateway is given of it. */
export interface ToldOptions {
  /** What the person who runs it tells the agent in every conversation. Asked in each turn. */
  readonly instructions?: () => Promise<readonly Instruction[]>;
  /** The folder in which the agent works. */
  readonly workdir?: string;
  /** Those of the settings. */
  readonly homeChannels?: readonly HomeChannel[];
}

export interface ToldSetting {
  /** Asked in each turn: the person may change them at any time. */
  readonly instructions: () => Promise<readonly Instruction[]>;
  /** The folder in which the agent works; undefined if it has none. */
  readonly workdir: string | undefined;
  readonly timeZone: string;
  readonly homes: Pick<Homes, "all">;
  readonly served: Pick<Served, "platforms">;
  readonly scopes: SessionScopes;
  /** Jobs can be scheduled here. */
  readonly schedules: boolean;
  /** Undefined if nothing is remembered about people. */
  readonly memory: MemoryDesk | undefined;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

/** A conversation as somebody sees it. */
export interface ToldConversation {
  readonly source: SessionSource;
  /** Null if it has not begun. */
  readonly entry: SessionEntry | null;
  readonly who: Access;
  readonly history: readonly Message[];
}

export interface ToldParts {
  readonly instructions: readonly Instruction[];
  /** Where the agent is. Together with the instructions it is the system prompt. */
  readonly place: string;
  readonly prompt: string;
  /** Names and notes, in the role of a user. */
  readonly labels: string | null;
  /** True if several people speak in the session. */
  readonly shared: boolean;
  /** True if others may read it, now or again. */
  readonly hasOthers: boolean;
  /** Null if nobody's memory may be read or changed in it. */
  readonly memory: MemoryReader | null;
}

export class Told {
  readonly #setting: ToldSetting;
  readonly #reported = new Set<string>();

  constructor(setting: ToldSetting) {
    this.#setting = setting;
  }

  async in({ source, entry, who, history }: ToldConversation): Promise<ToldParts> {
    const { homes, served, schedules, scopes, workdir, timeZone, clock, memory: desk } = this.#setting;
    const shared = isShared(source, scopes) || hasOtherRights(history, who);
    const hasOthers = shared || hasOtherPeople(history, who);
    const connected = await served.platforms();
    const context = buildSessionContext(
      source,
      {
        connectedPlatforms: [...connected],
        homeChannels: (await homes.all()).filter(({ address }) => connected.has(address.platform)),
        shared,
        schedules,
        began: `${civilDay(entry?.createdAt ?? clock(), timeZone).name} (${timeZone})`,
        ...(workdir === undefined ? {} : { workdir }),
      },
      entry ?? undefined,
    );
    const names = buildSessionLabels(context);
    const { reader: memory, labels } = await turnMemory(desk, names, {
      ...{ who, source, scopes },
      entry: entry ?? belongingOf(source, scopes),
      shared: hasOthers,
    });
    const place = [
      buildSessionContextPrompt(context, { labels: false }),
      ...(entry ? resetNote(entry) : []),
    ].join("\n\n");
    const instructions = await this.#instructions();
    const prompt = promptOf(instructions, place);
    return { instructions, place, prompt, labels, shared, hasOthers, memory };
  }

  async #instructions(): Promise<readonly Instruction[]> {
    const all = await this.#setting.instructions();
    for (const { problem } of all) {
      if (problem === null || this.#reported.has(problem)) continue;
      this.#reported.add(problem);
      this.#setting.onProblem(problem);
    }
    return all;
  }
}

/** Instructions first, each with where it comes from. */
function promptOf(instructions: readonly Instruction[], place: string): string {
  const parts = instructions
    .filter(({ text }) => text !== "")
    .map(({ from, text }) => `## Instructions from ${from}\n\n${text}`);
  return [...parts, place].join("\n\n");
}

/** True if another person spoke in it before, whatever their rights: they may read it again. */
function hasOtherPeople(history: readonly Message[], who: Access): boolean {
  const theirs = who.allowed ? who.identities : [];
  return history.some(
    (message) => message.role === "user" && message.author && !theirs.includes(message.author.id),
  );
}

/** True if somebody with other rights spoke in it before: the conversation moved here from elsewhere. */
function hasOtherRights(history: readonly Message[], who: Access): boolean {
  const role = who.allowed ? who.role : undefined;
  return history.some((message) => message.role === "user" && message.author && message.author.role !== role);
}
