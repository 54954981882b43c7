/** Home channels: who may make one, what counts, and that the agent hears of it with the next turn. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import type { HomeChannel } from "../../session/context.js";
import { LOCAL } from "../../session/platform.js";

const HERE = "telegram";
const people = { owners: { [HERE]: ["boss"] }, allow: { [HERE]: ["ann"] } };
const team = { chatId: "-100", chatType: "group", chatName: "Team\u202e\n# x" } as const;

let world: World;
let boss: Chat;
let prompts: string[];
let labels: (string | null | undefined)[];
const open = async (homeChannels: readonly HomeChannel[] = []): Promise<void> => {
  world = await World.open({ platform: HERE, people, gateway: { homeChannels } });
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
    expect(await boss.ask("/sethome")).toBe(
      "This is now the home channel of Telegram: DM with Boss (`telegram:boss`).",
    );
    await world.chat("ann").ask("hello");
    expect(prompts[1]).toContain("- telegram: (ID: boss)");
    expect(prompts[1]).toContain("Home Channels");
    expect(prompts[1]).not.toContain("DM with Boss"); // The names of chats are not for the system role.
    expect(labels[1]).toContain("Home channel of telegram: DM with Boss");
    await world.restart();
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "boss" }, name: "DM with Boss" },
    ]);
  });

  it("names several beside the default one; a name moves within its platform, and a chat may have two", async () => {
    expect(await boss.ask("/sethome  Ops   room ")).toBe(
      "This is now the home channel `ops room` of Telegram: DM with Boss (`telegram:boss`).",
    );
    await boss.ask("/sethome nights");
    const topic = world.chat("boss", { ...team, threadId: "7" });
    await topic.ask("/sethome");
    expect(await topic.ask("/sethome OPS ROOM")).toBe(
      "This is now the home channel `ops room` of Telegram: Team # x (`telegram:-100:7`).",
    );
    await topic.ask("hello");
    expect(prompts[0]).toMatch(
      /\n- telegram: \(ID: -100, thread: 7\)\n- nights: \(telegram, ID: boss\)\n- ops room: \(telegram, ID: -100, thread: 7\)$/,
    );
    expect(labels[0]).toContain("Home channel ops room: Team # x");
    await topic.ask("hello again");
    expect(prompts[1]).toBe(prompts[0]);
  });

  it("lists them all, and forgets one by its name", async () => {
    expect(await boss.ask("/sethome list")).toBe(
      "There is no home channel yet. Send /sethome in the chat that should be one.",
    );
    await boss.ask("/sethome");
    await boss.ask("/sethome ops");
    await boss.ask("/sethome night shift");
    expect(await boss.ask("/sethome List")).toBe(
      [
        "Home channels:",
        "- `telegram`: Telegram, DM with Boss (`telegram:boss`)",
        "- `night shift`: Telegram, DM with Boss (`telegram:boss`)",
        "- `ops`: Telegram, DM with Boss (`telegram:boss`)",
      ].join("\n"),
    );
    const words = async () => (await world.gateway.homes.all()).map(({ word }) => word);
    expect(await boss.ask("/sethome remove Night  Shift")).toBe(
      "Removed the home channel `night shift`: Telegram, DM with Boss (`telegram:boss`).",
    );
    expect(await words()).toEqual([undefined, "ops"]);
    expect(await boss.ask("/sethome remove telegram")).toMatch(/^Removed the home channel `telegram`: /);
    expect(await words()).toEqual(["ops"]);
    expect(await boss.ask("/sethome remove nights")).toBe(
      'There is no home channel "nights". To see them all, send /sethome list.',
    );
    expect(await boss.ask("/sethome remove")).toMatch(/^Which one\?/);
    expect(await words()).toEqual(["ops"]);
  });

  it("refuses a name that a home channel of another platform has, and says which", async () => {
    await world.gateway.homes.set({ address: { platform: "slack", chatId: "C1" }, name: "x", word: "ops" });
    expect(await boss.ask("/sethome Ops")).toBe(
      "`ops` is already a home channel of Slack. Choose another name, or send `/sethome remove ops` first.",
    );
    expect((await world.gateway.homes.all()).map(({ address }) => address.platform)).toEqual(["slack"]);
    await boss.ask("/sethome remove ops");
    expect(await boss.ask("/sethome ops")).toMatch(/^This is now the home channel `ops` of Telegram/);
  });

  it("refuses a word that means something else", async () => {
    expect(await boss.ask("/sethome Slack")).toMatch(/^"slack" can't name a home channel: /);
    expect(await world.gateway.homes.all()).toEqual([]);
  });

  it("takes the name of the chat, and the thread where it is in one; the last one counts", async () => {
    await boss.ask("/sethome");
    const topic = world.chat("boss", { ...team, threadId: "7" });
    expect(await topic.ask("/sethome")).toBe(
      "This is now the home channel of Telegram: Team # x (`telegram:-100:7`).",
    );
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "-100", threadId: "7" }, name: "Team # x" },
    ]);
  });

  it("can't be the terminal, which may list and forget them", async () => {
    await boss.ask("/sethome ops");
    const terminal = await World.open({ platform: LOCAL, on: world.store });
    const at = terminal.chat("ann");
    for (const command of ["/sethome", "/sethome desk"])
      expect(await at.ask(command)).toMatch(/^The terminal can't be a home channel\./);
    expect(await at.ask("/sethome list")).toContain("\n- `ops`: ");
    expect(await at.ask("/sethome remove ops")).toMatch(/^Removed /);
    expect(await world.gateway.homes.all()).toEqual([]);
    await terminal.close();
  });

  it("is the owner's", async () => {
    for (const command of ["/sethome", "/sethome ops", "/sethome list", "/sethome remove ops"])
      expect(await world.chat("ann").ask(command)).toBe(
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
    expect(await boss.ask("/sethome remove telegram")).toMatch(/^The settings already name /);
    await world.store.accounts.setHome({ address: { platform: HERE, chatId: "1" }, name: "said" });
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "42" }, name: "configured" },
    ]);
    await boss.ask("hello");
    expect(prompts.at(-1)).toContain("- telegram: (ID: 42)");
    expect(labels.at(-1)).toContain("Home channel of telegram: configured");
    await boss.ask("/sethome ops"); // Only the default one is the settings'.
    expect(await boss.ask("/sethome list")).toBe(
      [
        "Home channels:",
        "- `telegram`: Telegram, configured (`telegram:42`), from the settings",
        "- `ops`: Telegram, DM with Boss (`telegram:boss`)",
      ].join("\n"),
    );
  });

  it("may be a named one of a program's settings, which wins as well", async () => {
    await world.close();
    await open([{ address: { platform: "slack", chatId: "C1" }, name: "configured", word: "Ops" }]);
    for (const command of ["/sethome ops", "/sethome remove ops"])
      expect(await boss.ask(command)).toBe("The settings already say which chat `ops` is.");
    expect(await boss.ask("/sethome")).toMatch(/^This is now the home channel of Telegram/);
  });

  it("is a thread where the settings name one", async () => {
    await world.close();
    await open([{ address: { platform: HERE, chatId: "-100", threadId: "7" }, name: "configured" }]);
    expect(await world.gateway.homes.all()).toEqual([
      { address: { platform: HERE, chatId: "-100", threadId: "7" }, name: "configured" },
    ]);
  });
});
