/**
 * Sessions as the memory of a bot that you already have: no gateway, only a store. `Ask` stands for your model. Several
 * processes may use one store at the same time; give a postgres:// URL if they run on several machines.
 */
import {
  buildSessionContext,
  buildSessionContextPrompt,
  type Message,
  openSessions,
  type SessionSource,
  type Sessions,
  type Usage,
  viewerOf,
} from "baton-gateway";

export type Ask = (prompt: string, history: readonly Message[]) => Promise<{ text: string; usage: Usage }>;

/** A conversation that rests for a day starts fresh; the old one stays in the store, and can be found and resumed. */
export function openMemory(url: string, clock: () => number): Promise<Sessions> {
  return openSessions({ url, clock, config: { reset: { default: { mode: "idle", idleMinutes: 24 * 60 } } } });
}

export async function answer(
  sessions: Sessions,
  source: SessionSource,
  text: string,
  ask: Ask,
): Promise<string> {
  // The message is on disk when this returns: if the process dies now, the next one finds it.
  const { entry } = await sessions.receive(source, { role: "user", content: text });
  const context = buildSessionContext(source, { connectedPlatforms: [source.platform], homeChannels: [] });
  const history = await sessions.history(entry.sessionId, { maxMessages: 200 });
  const reply = await ask(buildSessionContextPrompt(context), history);
  await sessions.record(entry.sessionId, [{ role: "assistant", content: reply.text }], reply.usage);
  return entry.wasAutoReset ? `(This is a fresh conversation.)\n${reply.text}` : reply.text;
}

/** Finds earlier messages of this person, and of nobody else. */
export async function recall(sessions: Sessions, source: SessionSource, words: string): Promise<string[]> {
  const { items } = await sessions.as(viewerOf(source)).search(words);
  return items.map(({ snippet }) => snippet);
}
