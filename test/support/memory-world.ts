/** A gateway that remembers people, whose agent calls the tool `memory` as people say: `memory {…}`. */
import type { TurnInput } from "../../src/agent/agent.js";
import { MemoryDesk } from "../../src/gateway/memory/desk.js";
import type { GatewayOptions } from "../../src/gateway/options.js";
import { openDb } from "../../src/open-sessions.js";
import type { SessionsConfig } from "../../src/session/sessions.js";
import { openSqlStore } from "../../src/store/sql-store.js";
import { type Chat, World } from "./gateway-world.js";
import { toolCaller } from "./tool-caller.js";

export type MemoryWorld = Awaited<ReturnType<typeof openMemoryWorld>>;

export async function openMemoryWorld(
  { most = 4_000, config = {} }: { most?: number; config?: SessionsConfig } = {},
  more: Partial<GatewayOptions> = {},
) {
  const store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  const turns: TurnInput[] = [];
  const world: World = await World.open({
    on: store,
    config,
    people: { guests: { telegram: ["gus"] }, owners: { telegram: ["olga"] } },
    gateway: {
      memory: new MemoryDesk({ notes: store.memory, maxCharacters: most, clock: () => world.now }),
      agent: {
        name: "tool caller",
        run: (turn) => {
          turns.push(turn);
          return toolCaller.run(turn);
        },
      },
      ...more,
    },
  });
  const ann = world.chat("ann");
  return {
    world,
    ann,
    /** What the agent was given. */
    turns,
    /** The labels and notes of the next turn in a chat; null if it has none. */
    async seen(chat: Chat = ann): Promise<string | null> {
      await chat.ask("hello");
      return turns.at(-1)?.labels ?? null;
    },
    /** Calls the tool in a chat, and returns what the chat is told. */
    use: (args: object, chat: Chat = ann): Promise<string> => chat.ask(`memory ${JSON.stringify(args)}`),
    texts: async (...owners: string[]) => (await store.memory.of(owners)).map(({ text }) => text),
    async close(): Promise<void> {
      await world.close();
      await store.close();
    },
  };
}
