/** `/branch` continues in a copy of the session; the original stays as it is. */
import { randomBytes } from "node:crypto";
import { type SessionId, sessionIdAt } from "../../session/ids.js";
import { cleanTitle, type SessionEntry } from "../../session/session.js";
import type { StoredMessage } from "../../session/transcript.js";
import { NO_SESSION, nameOf } from "../describe.js";
import type { Hands } from "../for-commands.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command } from "./commands.js";

/** In a session's metadata: the session that it was branched from. */
export const BRANCH_OF = "branchOf";

export function branch({ clock }: AgentInfo): Command {
  return {
    name: "branch",
    ofSession: true,
    changesSession: true,
    usage: "[title]",
    description: "continue in a copy of this session",
    details: "The original stays as it is, and `/resume` lists both. A running answer is stopped first.",
    async run(call) {
      const { item, gateway, who } = call;
      const title = cleanTitle(call.words);
      if (!(await call.sessions.current(item.key))) return NO_SESSION;
      return gateway.change(item.key, who, async ({ sessions }) => {
        const original = await sessions.current(item.key);
        if (!original) return NO_SESSION;
        if (original.messageCount === 0) return "There is nothing to branch from yet.";
        const messages = await sessions.load(original.sessionId);
        const refused = await gateway.allowance.copy(who, Buffer.byteLength(JSON.stringify(messages)));
        if (refused !== null) return refused;
        const sessionId = await copy(
          original,
          messages,
          title ?? numberless(original.title),
          sessions,
          clock(),
        );
        const copied = await call.sessions.get(sessionId);
        const opened = copied && (await gateway.beside({ kind: "session", entry: copied }));
        if (opened) return opened;
        const entry = await sessions.switchTo(item.key, sessionId, {
          account: item.account,
          holder: gateway.holder,
        });
        return `You are now in the branch ${nameOf(entry)}. ${nameOf(original)} stays as it is: /resume lists both.`;
      });
    },
  };
}

/** Stored as ended until the chat has moved into it: a crash in between leaves no session that seems to be active. */
async function copy(
  original: SessionEntry,
  messages: readonly StoredMessage[],
  title: string | null,
  sessions: Hands["sessions"],
  now: number,
): Promise<SessionId> {
  const { key, origin, displayName, owner, chat, summary, standing, consolidatedThrough } = original;
  const sessionId = sessionIdAt(now, randomBytes(6).toString("hex"));
  await sessions.adopt(
    {
      sessionId,
      key,
      origin,
      displayName,
      owner,
      chat,
      createdAt: now,
      updatedAt: now,
      endedAt: now,
      endReason: "ended",
      parentId: original.sessionId,
      ...(title === null ? {} : { title }),
      // The copy is numbered again, without superseded messages.
      consolidatedThrough: messages.filter(({ seq }) => seq <= consolidatedThrough).length,
      ...(summary === null ? {} : { summary, standing }),
      metadata: { ...original.metadata, [BRANCH_OF]: original.sessionId },
      bind: false,
    },
    messages,
  );
  return sessionId;
}

/** `Garden (2)` → `Garden`: the store gives each branch the next free number. */
function numberless(title: string | null): string | null {
  return title?.replace(/ \(\d+\)$/, "") ?? null;
}
