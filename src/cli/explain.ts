/** `baton sessions explain`: when a conversation starts fresh, by which rule, and what would hold it off. */
import type { Config } from "../config/load.js";
import { OWNER } from "../session/access.js";
import { sessionNotFound } from "../session/errors.js";
import type { SessionEntry } from "../session/session.js";
import { asSessionKey, type SessionKey } from "../session/session-key.js";
import type { Explanation, Sessions } from "../session/sessions.js";
import { printableText } from "../util/text.js";
import { relativeTime } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { nameOf, placeOf } from "./describe.js";
import { timeIn } from "./time.js";

export function explain(cli: Cli, which: string, options: { json?: boolean }): Promise<void> {
  return withSessions(cli, "look", async (sessions, config) => {
    const asked = await lookUp(sessions, which);
    const explanation = await sessions.explain(asked.key);
    if (!explanation && !asked.entry) throw sessionNotFound(which);
    if (options.json) return cli.terminal.json(explanation ?? { entry: asked.entry, next: null });
    if (!explanation) {
      const name = nameOf(asked.entry ?? { title: null, displayName: "", sessionId: which });
      return cli.terminal.line(
        `"${name}" has ended (${asked.entry?.endReason}), and its chat has no session now: the next message starts one.`,
      );
    }
    for (const sentence of sentences(explanation, asked.entry, config))
      cli.terminal.line(printableText(sentence));
  });
}

/** A key, or whatever names a session. */
async function lookUp(sessions: Sessions, which: string) {
  if (/^agent:/.test(which)) {
    const present = await sessions.current(which as SessionKey);
    return { key: present?.key ?? asSessionKey(which), entry: null };
  }
  const entry = await sessions.find(which, OWNER);
  return { key: entry.key, entry };
}

function sentences(explanation: Explanation, asked: SessionEntry | null, config: Config): string[] {
  const { entry, timezone } = explanation;
  const now = Date.now();
  const moment = (at: number) => `${timeIn(timezone, at)} (${relativeTime(at, now)})`;
  const replaced = asked !== null && asked.sessionId !== entry.sessionId;
  return [
    ...(replaced
      ? [`"${nameOf(asked)}" is not the present session of its chat; this is about the one that is.`]
      : []),
    `"${nameOf(entry)}" (${entry.sessionId}) is the present session of ${placeOf(entry)}.`,
    `Its key is ${entry.key}.`,
    `${ruleSentence(explanation, config)} ${policySentence(explanation)}`,
    `The time zone is ${timezone}. The last activity was ${moment(entry.updatedAt)}.`,
    ...resetSentences(explanation, now, moment),
  ];
}

function ruleSentence({ from, entry }: Explanation, config: Config): string {
  switch (from) {
    case "platform":
      return `The rule for its platform applies (reset.byPlatform.${entry.platform}).`;
    case "chat type":
      return `The rule for its chat type applies (reset.byChatType.${entry.chatType}).`;
    case "default":
      return config.sessions.reset?.default
        ? "The default rule applies (reset.default)."
        : "No reset rule is configured for it, so the built-in default applies.";
    default:
      return from satisfies never;
  }
}

function policySentence({ policy }: Explanation): string {
  const idle = `after ${minutes(policy.idleMinutes)} without activity`;
  const daily = `every day at ${String(policy.atHour).padStart(2, "0")}:00`;
  const told = policy.notify ? "the chat is told" : "the chat is not told";
  switch (policy.mode) {
    case "none":
      return "It never starts fresh by itself.";
    case "idle":
      return `It starts fresh ${idle}; ${told}.`;
    case "daily":
      return `It starts fresh ${daily}; ${told}.`;
    case "both":
      return `It starts fresh ${idle} and ${daily}, whichever comes first; ${told}.`;
    default:
      return policy.mode satisfies never;
  }
}

function minutes(count: number): string {
  if (count % 1440 === 0) return count === 1440 ? "a day" : `${count / 1440} days`;
  if (count % 60 === 0) return count === 60 ? "an hour" : `${count / 60} hours`;
  return count === 1 ? "a minute" : `${count} minutes`;
}

function resetSentences(
  { next, heldBy }: Explanation,
  now: number,
  moment: (at: number) => string,
): string[] {
  if (next === null) {
    return [
      "To have it start fresh, set a rule in config.yaml of Baton's home folder, for example:",
      "  reset:\n    default: { mode: daily, atHour: 4 }",
    ];
  }
  const due = next.at < now;
  return [
    due
      ? `A reset (${next.reason}) has been due since ${moment(next.at)}: the next message starts a fresh session.`
      : `The next reset (${next.reason}) falls on ${moment(next.at)}${next.reason === "idle" ? ", unless there is activity before" : ""}.`,
    "A running turn, a pending or running handoff or a live background process would hold it off.",
    heldBy.length > 0
      ? `Right now ${heldBy.map((hold) => HOLDS[hold]).join(" and ")} it off.`
      : "Right now nothing recorded in the store holds it off.",
  ];
}

const HOLDS: Readonly<Record<Explanation["heldBy"][number], string>> = {
  turn: "a running turn holds",
  handoff: "a handoff holds",
  process: "a background process holds",
};
