/** `baton sessions explain`: when a session resets, by which rule, and what would delay it. */
import type { Config } from "../config/config.js";
import { heldWords, nextResetSentence, policySentence } from "../gateway/policy-words.js";
import { nameOf, placeOf } from "../gateway/session-names.js";
import { OWNER } from "../session/access.js";
import { sessionNotFound } from "../session/errors.js";
import type { SessionEntry } from "../session/session.js";
import { asSessionKey, type SessionKey } from "../session/session-key.js";
import type { Explanation, Sessions } from "../session/sessions.js";
import { printableText } from "../util/text.js";
import { relativeTime } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import { timeIn } from "./time.js";

export function explain(cli: Cli, which: string, options: { json?: boolean }): Promise<void> {
  return withSessions(cli, "look", async (sessions, config) => {
    const { key, entry } = await lookUp(sessions, which);
    const explanation = await sessions.explain(key);
    if (!explanation) {
      if (!entry) throw sessionNotFound(which);
      if (options.json) return cli.terminal.json({ entry, next: null });
      return cli.terminal.line(
        `"${nameOf(entry)}" has ended (${entry.endReason}), and its chat has no session now. The next message starts one.`,
      );
    }
    if (options.json) return cli.terminal.json(explanation);
    for (const sentence of sentences(explanation, entry, config)) cli.terminal.line(printableText(sentence));
  });
}

/** By key, or by whatever else names a session. */
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
      ? [`"${nameOf(asked)}" is not the current session of its chat. This is about the current one:`]
      : []),
    `"${nameOf(entry)}" (${entry.sessionId}) is the current session of ${placeOf(entry)}.`,
    `Its key is ${entry.key}.`,
    `${ruleSentence(explanation, config)} ${policySentence(explanation.policy)}`,
    `The time zone is ${timezone}. The last activity was at ${moment(entry.updatedAt)}.`,
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
        : "You have set no reset rule for it, so the built-in default applies.";
    default:
      return from satisfies never;
  }
}

function resetSentences(
  { entry, next, heldBy }: Explanation,
  now: number,
  moment: (at: number) => string,
): string[] {
  if (entry.endedAt !== null)
    return [
      `It ended at ${moment(entry.endedAt)} (${entry.endReason}). The next message starts a new session, and /resume goes back to this one.`,
    ];
  if (next === null) {
    return [
      "To make it reset, set a rule in the config.yaml of your home folder, for example:",
      "  reset:\n    default: { mode: daily, atHour: 4 }",
    ];
  }
  const held = heldWords(heldBy);
  return [
    nextResetSentence(next, now, moment),
    "A running turn, an open handoff or a running background process would delay it.",
    held === null
      ? "Right now nothing delays it."
      : `Right now ${held}${heldBy.includes("process") ? " (see `baton processes list`)" : ""}.`,
  ];
}
