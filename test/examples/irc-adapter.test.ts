/** The example adapter of docs/writing-an-adapter.md: the contract, and a journey through a whole gateway. */
import { readFile } from "node:fs/promises";
import { commandTable, type InboundMessage, offlineAgent, openGateway } from "baton-gateway";
import { type AdapterFixture, adapterContract, KeptAdapter } from "baton-gateway/testing";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { IrcAdapter, type IrcSettings } from "../../examples/irc-adapter.js";
import {
  IrcPerson,
  type IrcServer,
  PASSWORD,
  startNgircd,
  startTinyServer,
  Wire,
} from "../support/irc-servers.js";

const TEAM = "#team";
const BOT = "baton";
let fixtures = 0;
const ngircd = await startNgircd();
if (!ngircd) console.warn("NOT TESTED against ngircd: it is not installed here (apt-get install ngircd).");
afterAll(() => ngircd?.stop());

const settings = (port: number, more: Partial<IrcSettings> = {}): IrcSettings => ({
  host: "127.0.0.1",
  port,
  nick: BOT,
  password: () => PASSWORD,
  channels: [TEAM],
  patienceMs: 30_000,
  ...more,
});

async function fixture(port: number, stop: () => Promise<void>): Promise<AdapterFixture> {
  const n = ++fixtures; // A server may still know those of the case before.
  const [team, bot] = [`${TEAM}${n}`, `${BOT}${n}`];
  const wire = await Wire.to(port);
  const people = new Map<string, IrcPerson>();
  const person = async (nick: string): Promise<IrcPerson> => {
    const there = people.get(nick) ?? (await IrcPerson.arrive(`${nick}${n}`, port, team));
    people.set(nick, there);
    return there;
  };
  const ann = await person("ann");
  const adapter = () => new IrcAdapter(settings(wire.port, { nick: bot, channels: [team] }));
  return {
    adapter: adapter(),
    address: { platform: "irc", chatId: ann.nick },
    group: { platform: "irc", chatId: team },
    again: adapter,
    lacks: {
      replies: "IRC has no replies.",
      names: "A nick is a name and an id.",
      bots: "IRC does not say who is a bot.",
      "missed messages": "IRC keeps nothing.",
      "rate limited": "The server has no word for it.",
      "server error": "The server has no word for it.",
      refused: "Only for chats that are not there: see below.",
      "revoked token": "A password counts when one signs in: see below.",
    },
    write: async ({ text, in: place = "dm", from = "ann", mentions = false }) => {
      const said = mentions ? `${bot}: ${text}` : text;
      await (await person(from)).say(place === "dm" ? bot : team, said, bot);
      return { messageId: "" };
    },
    shown: async ({ chatId } = { platform: "irc", chatId: ann.nick }) => {
      await ann.settle();
      return ann.heard.filter(({ to, from }) => to === chatId && from === bot).map(({ text }) => text);
    },
    trouble: () => {
      const before = ann.heard.length;
      wire.isDeaf = true;
      void ann.until(() => ann.heard.length > before).then(() => wire.cut());
    },
    cut: () => wire.cut(),
    asShown: (text) =>
      text
        .split("\n")
        .map((line) => line.replace(/\p{Cc}/gu, "").trimEnd())
        .filter(Boolean),
    dispose: async () => {
      for (const each of people.values()) each.leave();
      await wire.stop();
      await stop();
    },
  };
}

adapterContract("IRC, a tiny server", async () => {
  const server = await startTinyServer();
  return fixture(server.port, server.stop);
});
if (ngircd) adapterContract("IRC, ngircd", () => fixture(ngircd.port, async () => {}));

describe.each([
  ["a tiny server", startTinyServer],
  ...(ngircd ? [["ngircd", async () => ({ ...ngircd, stop: async () => {} })] as const] : []),
] as const)("IRC through a whole gateway: %s", (_name, start) => {
  let server: IrcServer;
  let ann: IrcPerson;
  let eve: IrcPerson;
  let open: Awaited<ReturnType<typeof openGateway>>;
  beforeAll(async () => {
    server = await start();
    ann = await IrcPerson.arrive("Ann", server.port, TEAM);
    eve = await IrcPerson.arrive("eve", server.port, TEAM);
    open = await openGateway({
      url: "sqlite::memory:",
      agent: offlineAgent(),
      adapters: [new IrcAdapter(settings(server.port))],
      commands: commandTable({ agent: "offline", clock: Date.now }),
      people: { allow: { irc: ["ann"] }, pairing: "off" },
    });
    await open.gateway.start();
  });
  afterAll(async () => {
    await open.close();
    for (const person of [ann, eve]) person.leave();
    await server.stop();
  });

  const told = (person: IrcPerson) => person.heard.filter(({ from }) => from === BOT);
  const ask = async (to: string, text: string): Promise<string> => {
    const before = told(ann).length;
    await ann.say(to, text, BOT);
    await ann.until(() => told(ann).length > before);
    return told(ann)[before]?.text ?? "";
  };

  it("answers, in private and where it is named", async () => {
    expect(await ask(BOT, "My cat is called Minka")).toMatch(/\S/);
    expect(await ask(TEAM, `${BOT}: what time is it?`)).toMatch(/\S/);
    expect(told(ann).at(-1)?.to).toBe(TEAM);
  });

  it("keeps silent where it is not named, and to whom it does not know", async () => {
    const settled = async () => {
      await open.gateway.delivered();
      for (const person of [ann, eve]) await person.settle();
      return [ann, eve].map((person) => told(person).length);
    };
    const before = await settled();
    await ann.say(TEAM, "hello, all", BOT);
    await eve.say(BOT, "hello", BOT);
    await eve.say(TEAM, `${BOT}: hello`, BOT);
    expect(await settled()).toEqual(before);
  });

  it("splits what is too long for a line, and loses nothing of it", async () => {
    const before = told(ann).length;
    await ask(BOT, "/help");
    const lines = () =>
      told(ann)
        .slice(before)
        .map(({ text }) => text);
    await ann.until(() => lines().some((line) => line.includes("/help [command]")));
    for (const line of lines()) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(400);
    expect(lines()[0]).toContain("/new [title]");
    expect(lines().length).toBeGreaterThan(15);
  });

  it("begins anew and goes back", async () => {
    const fresh = await ask(BOT, "/new Garden");
    expect(fresh).toMatch(/Garden/);
    await ask(BOT, "I grow tomatoes");
    await ask(BOT, "/new");
    expect(await ask(BOT, "/resume Garden")).toMatch(/Garden/);
  });
});

describe("IRC", () => {
  it("is an example that can be read: at most 100 lines", async () => {
    const source = await readFile(new URL("../../examples/irc-adapter.ts", import.meta.url), "utf8");
    expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(100);
  });

  let server: IrcServer;
  beforeEach(async () => {
    server = await startTinyServer();
  });
  afterEach(() => server.stop());
  const connect = async (more: Partial<IrcSettings> = {}, port = server.port): Promise<KeptAdapter> => {
    const adapter = new KeptAdapter(new IrcAdapter(settings(port, more)));
    await adapter.connect();
    return adapter;
  };

  it.each([
    ["a wrong password", { password: () => "wrong" }, "permanent", "password"],
    ["a nick that is taken", { nick: "Ann" }, "retryable", "already in use"],
  ] as const)("%s is a sentence", async (_what, more, outcome, message) => {
    const ann = await IrcPerson.arrive("ann", server.port, TEAM);
    await expect(connect(more)).rejects.toMatchObject({ outcome, message: expect.stringContaining(message) });
    if (ngircd && "password" in more)
      await expect(connect(more, ngircd.port)).rejects.toMatchObject({ outcome });
    ann.leave();
  });

  it("nobody there, and no name at all, are refused for good", async () => {
    const adapter = await connect();
    for (const chatId of ["nobody", "#none", "ann :x\r\nQUIT", "", "a,b", ":x"]) {
      const message = { address: { platform: "irc", chatId }, text: "hello", deliveryId: chatId };
      await expect(adapter.send(message)).rejects.toMatchObject({ outcome: "permanent" });
    }
    await adapter.disconnect();
  });

  it("a server that does not answer is not waited for forever", async () => {
    const wire = await Wire.to(server.port);
    wire.isDeaf = true;
    await expect(connect({ patienceMs: 50 }, wire.port)).rejects.toMatchObject({ outcome: "retryable" });
    await wire.stop();
  });

  it("takes any line for a line", async () => {
    const wire = await Wire.to(server.port);
    const adapter = new KeptAdapter(new IrcAdapter(settings(wire.port)));
    const received: InboundMessage[] = [];
    await new Promise<void>((over, failed) => {
      const receive = async (message: InboundMessage) => {
        received.push(message);
        if (message.text === "over") over();
        return "accepted" as const;
      };
      const noise = fc.sample(fc.string({ unit: "binary" }), { numRuns: 500, seed: 1 });
      const lines = [...noise, "", ":", " ", "PRIVMSG", ":ann!~a@host PRIVMSG", ":x 401", "PONG"];
      const said = [":ann!~a@host PRIVMSG baton :hello : there", ":ann!~a@host PRIVMSG baton :over"];
      adapter.connect(receive).then(() => wire.say(`${[...lines, ...said].join("\r\n")}\r\n`), failed);
    });
    expect(received.slice(-2)).toMatchObject([
      { source: { chatId: "ann", userId: "ann" }, text: "hello : there" },
      { text: "over" },
    ]);
    await adapter.disconnect();
    await wire.stop();
  });

  it("says nothing that would end a line", async () => {
    const adapter = await connect();
    const ann = await IrcPerson.arrive("ann", server.port, TEAM);
    const address = { platform: "irc", chatId: "ann" };
    await adapter.send({ address, text: "one\r\nQUIT\0\u0003\n\n \r", deliveryId: "1" });
    await ann.settle();
    expect(ann.heard.map(({ text }) => text)).toEqual(["one", "QUIT"]);
    ann.leave();
    await adapter.disconnect();
  });
});
