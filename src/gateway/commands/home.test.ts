/** Home channels: who may make one, what counts, and that the agent hears of it with the next turn. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import type { HomeChannel } from "../../session/context.js";

const HERE = "telegram";
const people = { owners: { [HERE]: ["boss"] }, allow: { [HERE]: ["ann"] } };
const team = { chatId: "-100", chatType: "group", chatName: "Team\u202e\n# x" } as const;

let world: World;
let boss: Chat;
let prompts: string[];
let labels: (string | null | undefined)[];
const open = async (homeChannels: readonly HomeChannel[] = []): Promise<void> => {
  const context = { connectedPlatforms: [HERE], homeChannels };
  world = await World.open({ platform: HERE, people, gateway: { context } });
  boss = world.chat("boss");
  prompts = [];
  labels = [];
  const run = world.agent.run.bind(world.agent);
  world.agent.run = (turn) => {
    prompts.push(turn.prompt);
    labels.push(turn.labels);
    return run(turn);
  };
};
beforeEach(() => open());
afterEach(() => world.close());

describe("/sethome", () => {
  it("makes a chat the home channel, and the agent is told with the next turn", async () => {
    await boss.ask("hello");
    expect(prompts[0]).not.toContain("Home Channels");
    expect(await boss.ask("/sethome  Ops room ")).toBe(
      "This is now the home channel of Telegram: Ops room (`telegram:boss`).",
    );
    await world.chat("ann").ask("hello");
    expect(prompts[1]).toContain("- telegram: (ID: boss)");
    expect(prompts[1]).toContain("Home Channels");
    expect(prompts[1]).not.toContain("Ops room"); // Names are not for the system role.
    expect(labels[1]).toContain("Home channel of telegram: Ops room");
    await world.restart();
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "boss" }, name: "Ops room" },
    ]);
  });

  it("takes the name of the chat, and the thread where it is in one; the last one counts", async () => {
    await boss.ask("/sethome");
    expect((await world.gateway.homes.all())[0]?.name).toBe("DM with Boss");
    const topic = world.chat("boss", { ...team, threadId: "7" });
    expect(await topic.ask("/sethome")).toBe(
      "This is now the home channel of Telegram: Team # x (`telegram:-100:7`).",
    );
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "-100", threadId: "7" }, name: "Team # x" },
    ]);
  });

  it("is the owner's", async () => {
    expect(await world.chat("ann").ask("/sethome")).toBe(
      "A member can't use /sethome. Send /help to list your commands.",
    );
    expect(await world.gateway.homes.all()).toEqual([]);
  });

  it("says where to change what the settings name, and changes nothing", async () => {
    await boss.ask("/sethome");
    const { store } = world;
    await world.gateway.stop({ drainMs: 0 });
    await store.close();
    await open([{ address: { platform: HERE, chatId: "42" }, name: "configured" }]);
    expect(await boss.ask("/sethome")).toMatch(
      /^The settings already name .*`platforms\.telegram\.homeChannel`/,
    );
    await world.store.accounts.setHome({ address: { platform: HERE, chatId: "1" }, name: "said" });
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "42" }, name: "configured" },
    ]);
    await boss.ask("hello");
    expect(prompts.at(-1)).toContain("- telegram: (ID: 42)");
    expect(labels.at(-1)).toContain("Home channel of telegram: configured");
  });

  it("is a thread where the settings name one", async () => {
    await world.close();
    await open([{ address: { platform: HERE, chatId: "-100", threadId: "7" }, name: "configured" }]);
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "-100", threadId: "7" }, name: "configured" },
    ]);
  });
});
