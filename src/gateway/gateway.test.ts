import { afterEach, describe, expect, it, vi } from "vitest";
import { endedHolder } from "../../test/support/ended-holder.js";
import { SendError } from "../adapter/adapter.js";
import { type Agent, AgentError, type AgentEvent, type TurnInput } from "../agent/agent.js";
import { openDb } from "../open-sessions.js";
import { OWNER } from "../session/access.js";
import { type DeliveryId, deliveryIdOf, type InboxId, type SessionId } from "../session/ids.js";
import { buildSessionKey } from "../session/session-key.js";
import { Sessions, type SessionsConfig } from "../session/sessions.js";
import type { SessionStore } from "../session/store.js";
import type { Message } from "../session/transcript.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter, type ScriptedOptions } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import { Commands } from "./commands/commands.js";
import { Gateway } from "./gateway.js";
import type { GatewayOptions } from "./options.js";
import type { GatewayStore, NewDelivery } from "./store.js";

type Script = (turn: TurnInput, n: number) => AsyncIterable<AgentEvent>;

const scripted = (script: Script): Agent => {
  let n = 0;
  return { name: "scripted", run: (turn) => script(turn, ++n) };
};

async function* say(text: string): AsyncIterable<AgentEvent> {
  yield { kind: "text", text };
  yield { kind: "message", message: { role: "assistant", content: text }, results: [] };
  yield { kind: "done", stopped: false };
}

/** Answers with what it was told last, and how many messages it saw. */
const echo = scripted((turn) => say(`${turn.history.at(-1)?.content} (${turn.history.length})`));

/** Says the beginning, then waits until it is stopped. */
const endless = (beginning: string, onRun: (turn: TurnInput) => void = () => {}): Agent =>
  scripted(async function* (turn) {
    onRun(turn);
    yield { kind: "text", text: beginning };
    await new Promise<void>((resolve) => turn.signal.addEventListener("abort", () => resolve()));
    yield { kind: "message", message: { role: "assistant", content: beginning }, results: [] };
    yield { kind: "done", stopped: true };
  });

interface World {
  readonly store: SessionStore & GatewayStore;
  readonly sessions: Sessions;
  readonly adapter: ScriptedAdapter;
  readonly gateway: Gateway;
  readonly problems: string[];
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

let now = Date.UTC(2026, 0, 10, 12);
const ann = { userId: "ann", userName: "Ann" };

async function world(
  agent: Agent,
  options: Partial<GatewayOptions> & {
    config?: SessionsConfig;
    scripted?: ScriptedOptions;
    on?: World["store"];
  } = {},
): Promise<World> {
  const store = options.on ?? (await openSqlStore(await openDb("sqlite::memory:"), 0));
  const sessions = new Sessions(store, {
    clock: () => now,
    ...(options.config ? { config: options.config } : {}),
  });
  const adapter = new ScriptedAdapter(options.scripted ?? {});
  const problems: string[] = [];
  const gateway = new Gateway({
    sessions,
    store,
    agent,
    adapters: [adapter],
    commands: new Commands([{ name: "ping", usage: "", description: "", run: async () => "pong" }], sessions),
    tools: () => [],
    scopes: {},
    toolLists: {},
    people: { allow: { [adapter.platform]: ["ann", "bob"] } },
    busy: { default: "interrupt", byPlatform: {}, byChat: {} },
    maxMessages: 500,
    deadlineMs: 60_000,
    holder: processHolder(),
    clock: () => now,
    elapsed: () => 0, // A machine that is busy loses no lease.
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  await gateway.start();
  if (!options.on) open.push({ close: () => store.close() });
  open.push({ close: () => gateway.stop({ drainMs: 0 }) });
  return { store, sessions, adapter, gateway, problems };
}

const transcript = async ({ sessions }: World): Promise<string[]> => {
  const [entry] = (await sessions.list({}, OWNER)).items;
  return (await sessions.load((entry?.sessionId ?? "") as SessionId)).map(
    (message: Message) => `${message.role}: ${message.content}`,
  );
};

describe("the journey of a message", () => {
  it("ends with a command that is being carried out, when it is asked to stop", async () => {
    let go: ((said: string) => void) | undefined;
    const run = () => new Promise<string>((resolve) => (go = resolve));
    const on = await openSqlStore(await openDb("sqlite::memory:"), 0);
    open.push({ close: () => on.close() });
    const table = [{ name: "slow", usage: "", description: "", run }];
    const here = await world(echo, { on, commands: new Commands(table, new Sessions(on)) });
    await here.adapter.write(ann, "/slow");
    await until(() => go !== undefined);
    const stopped = here.gateway.stop({ drainMs: 0 });
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
    go?.("done");
    await stopped;
    expect(await here.store.inbox.interruptedCommands(here.adapter)).toEqual([]);
    const left = await here.store.outbox.pending(here.adapter, 9);
    expect([...here.adapter.textsTo("ann"), ...left.map(({ text }) => text)]).toEqual(["done"]);
  });

  it("leaves no lane behind once it is over; one in which something runs stays", async () => {
    const here = await world(
      scripted((turn, n) => (n === 1 ? say("done") : endless("on and on").run(turn))),
      { leaseMs: 20 },
    );
    await here.adapter.write(ann, "one");
    await here.adapter.until((sent) => sent.length === 1);
    const ended = here.gateway.lane(laneKey(here));
    await until(() => here.gateway.lane(laneKey(here)) !== ended);
    await here.adapter.write(ann, "two");
    const running = here.gateway.lane(laneKey(here));
    await until(() => running.run !== undefined);
    const empty = buildSessionKey({ platform: here.adapter.platform, chatId: "bob", chatType: "dm" });
    const another = here.gateway.lane(empty);
    await until(() => here.gateway.lane(empty) !== another);
    expect(here.gateway.lane(laneKey(here))).toBe(running);
  });

  it("ends in the transcript and in the chat, in order", async () => {
    const here = await world(echo);
    expect(await here.adapter.write(ann, "one")).toBe("accepted");
    await here.adapter.until((sent) => sent.length === 1);
    expect(await here.adapter.write(ann, "two")).toBe("accepted");
    await here.adapter.until((sent) => sent.length === 2);
    expect(here.adapter.textsTo("ann")).toEqual(["one (1)", "two (3)"]);
    expect(await transcript(here)).toEqual([
      "user: one",
      "assistant: one (1)",
      "user: two",
      "assistant: two (3)",
    ]);
    expect(here.problems).toEqual([]);
  });

  it("answers a redelivered message once", async () => {
    const here = await world(echo);
    expect(await here.adapter.write(ann, "hi", { messageId: "x" })).toBe("accepted");
    expect(await here.adapter.write(ann, "hi", { messageId: "x" })).toBe("duplicate");
    await here.adapter.until((sent) => sent.length === 1);
    expect(await transcript(here)).toHaveLength(2);
  });

  it("keeps what is being received when it is told to stop, and leaves it to whoever comes next", async () => {
    const here = await world(echo);
    let found: (known: { person: null; version: number }) => void = () => {};
    here.store.people.known = () => new Promise((resolve) => (found = resolve));
    const writing = here.adapter.write(ann, "hi");
    const stopping = here.gateway.stop({ drainMs: 0 });
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
    found({ person: null, version: 0 });
    await stopping;
    expect(await writing).toBe("accepted");
    expect(await here.store.inbox.waiting(here.adapter)).toMatchObject([
      { item: { text: "hi" }, holder: "" },
    ]);
  });

  it.each(["message", "edit", "reaction", "button", "command"] as const)(
    "lets no %s of a stranger in",
    async (kind) => {
      const people = { allow: { [new ScriptedAdapter().platform]: ["ann"] }, pairing: "off" } as const;
      const reactions = { hi: "/ping" };
      const here = await world(echo, { people, reactions });
      if (kind !== "reaction")
        expect(await here.adapter.write({ userId: "eve" }, "/ping let me in", { kind })).toBe("refused");
      expect(await here.adapter.write({ userId: "an" }, "hi", { kind })).toBe("refused");
      expect(await here.adapter.write({ userId: "", userName: "ann", chatId: "ann" }, "hi", { kind })).toBe(
        "refused",
      );
      expect((await here.sessions.list({}, OWNER)).items).toEqual([]);
      expect(await here.store.inbox.waiting(here.adapter)).toEqual([]);
      expect(here.adapter.sent).toEqual([]);
    },
  );

  it("gives names to those who share a session", async () => {
    const here = await world(echo);
    await here.adapter.write({ ...ann, chatId: "team", chatType: "group" }, "hello");
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("team")).toEqual([
      expect.stringMatching(/^\[Ann #[0-9a-f]{10} member\] hello \(1\)$/),
    ]);
    expect((await transcript(here))[0]).toBe("user: hello");
  });

  it("says when it started fresh, to the chat once, and to the agent", async () => {
    const prompts: string[] = [];
    const agent = scripted((turn) => {
      prompts.push(turn.prompt);
      return say("ok");
    });
    const here = await world(agent, { config: { reset: { default: { mode: "idle", idleMinutes: 60 } } } });
    for (const sent of [1, 3, 4]) {
      await here.adapter.write(ann, "hi");
      await here.adapter.until((all) => all.length === sent);
      if (sent === 1) now += 61 * 60_000;
    }
    expect(here.adapter.textsTo("ann").filter((text) => text.includes("/resume"))).toHaveLength(1);
    // The agent reads it in every turn of the session, so that the beginning of its requests stays the same.
    expect(prompts.map((prompt) => prompt.includes("**Note:**"))).toEqual([false, true, true]);
  });

  it("starts fresh without a word to the chat where that is asked", async () => {
    const here = await world(echo, {
      config: { reset: { default: { mode: "idle", idleMinutes: 60, notify: false } } },
    });
    for (const sent of [1, 2]) {
      await here.adapter.write(ann, "hi");
      await here.adapter.until((all) => all.length === sent);
      now += 61 * 60_000;
    }
    expect(here.adapter.textsTo("ann")).toEqual(["hi (1)", "hi (1)"]);
  });

  it("answers commands at once, and does not take a slip of the finger for a message", async () => {
    const here = await world(endless("…"));
    await here.adapter.write(ann, "think");
    await here.adapter.write(ann, "/ping");
    await here.adapter.write(ann, "/pong");
    await here.adapter.until((sent) => sent.length === 2);
    expect(here.adapter.textsTo("ann")).toEqual([
      "pong",
      'There is no command /pong. Did you mean "ping"? Send /help to list them. If this is a message, put a word before the slash.',
    ]);
  });

  it("takes a text that begins with a path for a message", async () => {
    const here = await world(echo);
    await here.adapter.write(ann, "/etc/passwd is wrong");
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("ann")).toEqual(["/etc/passwd is wrong (1)"]);
  });
});

describe("while a turn is running", () => {
  it("interrupts it, keeps what it said, and answers the new message", async () => {
    let runs = 0;
    const agent = scripted((turn, n) => {
      runs = n;
      return n === 1 ? endless("I was about").run(turn) : say("on to the next");
    });
    const here = await world(agent);
    await here.adapter.write(ann, "first");
    await until(() => runs === 1);
    await here.adapter.write(ann, "second");
    await here.adapter.until((sent) => sent.length === 1);
    expect(await transcript(here)).toEqual([
      "user: first",
      "assistant: I was about",
      "user: second",
      "assistant: on to the next",
    ]);
  });

  const cause = new Error("a defect");
  const fails = (): never => {
    throw cause;
  };
  it.each([
    [
      "as it speaks",
      scripted(async function* () {
        yield { kind: "text", text: "I" } as const;
        fails();
      }),
      {},
    ],
    ["as it is asked", scripted(fails), {}],
    ["as it gets its tools", scripted(() => say("hello")), { tools: fails }],
  ])("that fails %s says in which session and turn, and why", async (_when, agent, options) => {
    const onProblem = vi.fn();
    const here = await world(agent, { ...options, onProblem });
    await here.adapter.write(ann, "hello");
    await here.adapter.until((sent) => sent.length === 1);
    const { sessionId: session = "" } = (await here.sessions.current(laneKey(here))) ?? {};
    const turn = expect.stringMatching(/^turn_/);
    expect(onProblem.mock.calls).toEqual([["A turn failed: a defect", { cause, session, turn }]]);
  });

  it("interrupts one that is just beginning, as where two messages come at once", async () => {
    const agent = scripted((turn) =>
      turn.history.at(-1)?.content === "first" ? endless("…").run(turn) : say("on to the next"),
    );
    const here = await world(agent);
    await Promise.all([here.adapter.write(ann, "first"), here.adapter.write(ann, "second")]);
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("ann")).toEqual(["on to the next"]);
    expect((await transcript(here)).filter((line) => line.startsWith("user"))).toEqual([
      "user: first",
      "user: second",
    ]);
  });

  it("queues where that is asked, in order", async () => {
    let go: () => void = () => {};
    const mayGo = new Promise<void>((resolve) => {
      go = resolve;
    });
    const agent = scripted(async function* (turn, n) {
      if (n === 1) await mayGo;
      yield* say(`${turn.history.at(-1)?.content}!`);
    });
    const here = await world(agent, { busy: { default: "queue", byPlatform: {}, byChat: {} } });
    for (const text of ["a", "b", "c"]) await here.adapter.write(ann, text);
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    go();
    await here.adapter.until((sent) => sent.length === 3);
    expect(here.adapter.textsTo("ann")).toEqual(["a!", "b!", "c!"]);
  });

  it("steers it where that is asked", async () => {
    let go: () => void = () => {};
    const mayGo = new Promise<void>((resolve) => {
      go = resolve;
    });
    const agent = scripted(async function* (turn) {
      yield { kind: "text", text: "Looking" };
      await mayGo;
      const steered = turn.steer().map((message) => message.content);
      yield {
        kind: "message",
        message: { role: "assistant", content: `Looking at ${steered.join()}` },
        results: [],
      };
      yield { kind: "done", stopped: false };
    });
    const here = await world(agent, { busy: { default: "steer", byPlatform: {}, byChat: {} } });
    await here.adapter.write(ann, "look");
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    await here.adapter.write(ann, "at the map");
    go();
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("ann")).toEqual(["Looking at at the map"]);
    expect(await here.store.inbox.waiting(here.adapter)).toEqual([]);
    expect(await transcript(here)).toEqual([
      "user: look",
      "user: at the map",
      "assistant: Looking at at the map",
    ]);
  });

  it("steers nothing past what waits already", async () => {
    let go: () => void = () => {};
    const agent = scripted(async function* (turn, n) {
      if (n === 1) await new Promise<void>((resolve) => (go = resolve));
      yield* say([turn.history.at(-1), ...turn.steer()].map((message) => message?.content).join());
    });
    const here = await world(agent, { busy: { default: "steer", byPlatform: {}, byChat: {} } });
    await here.adapter.write(ann, "a");
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    const { platform, account } = here.adapter;
    const source = { platform, chatId: "ann", chatType: "dm", userId: "ann" } as const;
    const said = { platform, account, key: laneKey(here), source, messageId: "q", text: "b" };
    const who = await here.gateway.people.access(source);
    if (!who.allowed) throw new Error("Ann is let in.");
    await here.gateway.forCommands.enqueue(said, who, "queue");
    await here.adapter.write(ann, "c");
    go();
    await here.adapter.until((sent) => sent.length === 3);
    expect(here.adapter.textsTo("ann")).toEqual(["a", "b", "c"]);
  });

  it("steers nothing past what waits without the lane knowing, as after the account was lost for a moment", async () => {
    let go: () => void = () => {};
    const agent = scripted(async function* (turn, n) {
      if (n === 1) await new Promise<void>((resolve) => (go = resolve));
      yield* say([turn.history.at(-1), ...turn.steer()].map((message) => message?.content).join());
    });
    const here = await world(agent, { busy: { default: "steer", byPlatform: {}, byChat: {} } });
    await here.adapter.write(ann, "a");
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    const { platform, account } = here.adapter;
    const source = { platform, chatId: "ann", chatType: "dm", userId: "ann" } as const;
    const left = { platform, account, kind: "message", key: laneKey(here), source } as const;
    await here.store.inbox.accept({ ...left, messageId: "left", text: "b" }, "", 0);
    await here.adapter.write(ann, "c");
    go();
    await here.adapter.until((sent) => sent.length === 3);
    expect(here.adapter.textsTo("ann")).toEqual(["a", "b", "c"]);
  });

  it("says what a step said that was kept before the turn ended, also while it is being stopped", async () => {
    const call = { id: "c", name: "terminal", arguments: "{}" };
    const agent = scripted(async function* (turn, n) {
      if (n > 1) return yield* say("fine");
      yield { kind: "text", text: "looking" };
      yield { kind: "tool call", call };
      await new Promise<void>((resolve) => turn.signal.addEventListener("abort", () => resolve()));
      yield {
        kind: "message",
        message: { role: "assistant", content: "looking", toolCalls: [call] },
        results: [{ role: "tool", toolCallId: "c", name: "terminal", content: "seen" }],
      };
      yield { kind: "done", stopped: true };
    });
    const here = await world(agent);
    await here.adapter.write(ann, "go");
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    await here.adapter.write(ann, "again");
    await here.adapter.until((sent) => sent.length === 2);
    expect(here.adapter.textsTo("ann")).toEqual(["looking", "fine"]);
  });

  it("leaves an agent behind that does not stop, and it writes no more", async () => {
    let late: () => void = () => {};
    const stuck = scripted(async function* (_, n) {
      if (n > 1) return yield* say("fine");
      yield { kind: "tool call", call: { id: "c", name: "terminal", arguments: "{}" } };
      await new Promise<void>((resolve) => (late = resolve));
      yield* say("much too late");
    });
    const here = await world(stuck);
    await here.adapter.write(ann, "go");
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    here.gateway.lane(laneKey(here)).run?.stop("stopped");
    await here.gateway.lane(laneKey(here)).idle();
    late();
    await here.adapter.write(ann, "again");
    await here.adapter.until((sent) => sent.length === 1);
    expect(await transcript(here)).toEqual([
      "user: go",
      "assistant: ",
      "tool: Stopped before it finished; it may or may not have taken effect.",
      "user: again",
      "assistant: fine",
    ]);
  });

  it("can be stopped while the tools of a turn are not there yet", async () => {
    const here = await world(echo, { tools: () => new Promise<never>(() => {}) });
    await here.adapter.write(ann, "one");
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    here.gateway.lane(laneKey(here)).run?.stop("stopped");
    await until(() => here.gateway.lane(laneKey(here)).run === undefined);
    expect(await transcript(here)).toEqual(["user: one", "assistant: (Stopped before I was done.)"]);
  });

  it("takes no more messages once it is to stop, so that the platform brings them again", async () => {
    const here = await world(endless("…"));
    await here.adapter.write(ann, "go");
    await until(() => here.gateway.lane(laneKey(here)).run !== undefined);
    const stopped = here.gateway.stop({ drainMs: 0 });
    await expect(here.adapter.write(ann, "late")).rejects.toThrow("The gateway is stopping");
    await stopped;
    expect(await here.store.inbox.waiting(here.adapter)).toEqual([]);
    expect(here.gateway.platforms()).toMatchObject([{ state: { kind: "idle" } }]);
  });

  it("tells the chat when its time is over, and when it failed", async () => {
    const here = await world(endless("hm"), { deadlineMs: 20 });
    await here.adapter.write(ann, "go");
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("ann")[0]).toMatch(/stopped after .*\/retry/);

    const failing = await world(
      scripted(async function* () {
        yield { kind: "text", text: "Let me" };
        throw new AgentError("The model is not there.");
      }),
    );
    await failing.adapter.write(ann, "go");
    await failing.adapter.until((sent) => sent.length === 2);
    expect(failing.adapter.textsTo("ann")).toEqual([
      "Let me",
      "The model is not there. Try again with /retry.",
    ]);
    expect(await transcript(failing)).toEqual(["user: go", "assistant: Let me"]);
  });

  it("says in a chat how to choose another model, if that may help", async () => {
    const here = await world(
      // biome-ignore lint/correctness/useYield: it fails before its first word.
      scripted(async function* () {
        throw new AgentError("There is no such model.", { wantsModel: true });
      }),
    );
    await here.adapter.write(ann, "go");
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("ann")).toEqual([
      "There is no such model. Choose a model with /model. Try again with /retry.",
    ]);
  });
});

describe("after a process ended in the middle", () => {
  /** A store as a process left it that is certainly gone. */
  const left = async (): Promise<World["store"]> => {
    const store = await openSqlStore(await openDb("sqlite::memory:"), 0);
    open.push({ close: () => store.close() });
    return store;
  };
  const gone = endedHolder();

  it("answers what was accepted and not answered, in order", async () => {
    const store = await left();
    const first = await world(endless("…"), { on: store });
    await first.adapter.write(ann, "a", { messageId: "1" });
    await until(() => first.gateway.lane(laneKey(first)).run !== undefined);
    await first.adapter.write({ ...ann, chatId: "other" }, "b", { messageId: "2" });
    await first.gateway.stop({ drainMs: 0 });
    open.pop();
    expect(first.adapter.sent).toEqual([]);

    const second = await world(echo, { on: store });
    await second.adapter.until((sent) => sent.length === 2);
    expect(second.adapter.textsTo("ann")).toEqual(["a (1)"]);
    expect(second.adapter.textsTo("other")).toEqual(["b (1)"]);
    expect((await second.sessions.list({}, OWNER)).items.map(({ messageCount }) => messageCount)).toEqual([
      2, 2,
    ]);
  });

  it("goes on with a turn that was left while it was running itself, then with all that waits", async () => {
    const store = await left();
    const first = await world(endless("…"), { on: store, holder: gone });
    await first.adapter.write(ann, "left");
    await until(() => first.gateway.lane(laneKey(first)).run !== undefined);
    const busy = { default: "queue", byPlatform: {}, byChat: {} } as const;
    const second = await world(echo, { on: store, scripted: { account: "other" }, busy });
    for (const text of ["a", "b", "c"]) await second.adapter.write(ann, text);
    await second.adapter.until((sent) => sent.length === 3);
    expect(second.adapter.textsTo("ann")).toEqual(["a (3)", "b (5)", "c (7)"]);
    expect((await transcript(second)).slice(0, 2)).toEqual(["user: left", "assistant: left (1)"]);
    // The answer to what the other account was asked goes through that account.
    await first.adapter.until((sent) => sent.length === 1);
    expect(first.adapter.textsTo("ann")).toEqual(["left (1)"]);
    expect(second.problems).toEqual([]);
  });

  it("takes on what a process of another machine left, once the account is its own", async () => {
    const store = await left();
    const elsewhere = "another-machine 1 1 x";
    const { platform, account } = new ScriptedAdapter();
    const source = { platform, chatId: "ann", chatType: "dm" as const, userId: "ann" };
    const item = { platform, account, key: buildSessionKey(source), source };
    await store.inbox.accept({ ...item, kind: "message", messageId: "1", text: "a" }, elsewhere, now);
    await store.inbox.accept({ ...item, kind: "command", messageId: "2", text: "/ping" }, elsewhere, now);
    const address = { platform, chatId: "ann" };
    const said = {
      account,
      holder: elsewhere,
      address,
      purpose: "notice" as const,
      sessionId: null,
      shown: false,
    };
    await store.outbox.add([{ ...said, deliveryId: deliveryIdOf("d"), text: "left to say" }], now);
    const shared = await world(echo, { on: store, scripted: { shared: true } });
    await shared.gateway.delivered();
    expect(shared.adapter.sent).toEqual([]); // Whoever shares an account proves nothing by having it.
    const next = await world(echo, { on: store });
    await next.adapter.until((sent) => sent.length === 3);
    expect(next.adapter.textsTo("ann").sort()).toEqual(["a (1)", "left to say", "pong"]);
  });

  /** A turn in which so many processes have ended, each running so many turns. */
  async function endedIn(ends: number, turns: number, agent = echo) {
    const store = await left();
    const owners = Array.from({ length: ends }, () => endedHolder());
    const people = Array.from({ length: turns }, (_, n) => `p${n}`);
    const allowed = { people: { allow: { [new ScriptedAdapter().platform]: people } } };
    const first = await world(endless("…"), { on: store, holder: owners[0] ?? "", ...allowed });
    for (const userId of people) await first.adapter.write({ userId }, "poison?");
    await expect.poll(() => store.turns.running(first.adapter, now)).toHaveLength(turns);
    for (const holder of owners.slice(1)) {
      for (const { turn } of await store.turns.running(first.adapter, now))
        await store.turns.takeOver(turn, { holder, leaseMs: 1_000 }, now);
    }
    const next = await world(agent, { on: store, ...allowed });
    await next.adapter.until((sent) => sent.length === turns);
    expect(await store.turns.running(next.adapter, now)).toEqual([]);
    return next.adapter.sent.map(({ text }) => text);
  }

  it("tries a turn a third time, and parks it where its processes ended of it alone; and says so", async () => {
    expect(await endedIn(2, 1)).toEqual([expect.stringMatching(/^poison\?/)]);
    expect(await endedIn(3, 1)).toEqual([expect.stringMatching(/gave up.*3 times.*\/retry/)]);
  });

  it("tries each a third time alone, and not before", async () => {
    const most = async (ends: number) => {
      let [running, highest] = [0, 0];
      const slow = scripted(async function* () {
        highest = Math.max(highest, ++running);
        for (let n = 0; n < 100; n++) await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        yield* say("done");
      });
      await endedIn(ends, 3, slow);
      return highest;
    };
    expect([await most(1), await most(2)]).toEqual([3, 1]);
  });

  it("blames no turn for the end of a process that ran others too, unless it is far too often", async () => {
    for (const text of await endedIn(5, 3)) expect(text).toMatch(/^poison\?/);
    for (const text of await endedIn(8, 2)) expect(text).toMatch(/gave up/);
  });

  it("does not send again what may have arrived, and sends what certainly did not", async () => {
    const store = await left();
    const account = { platform: new ScriptedAdapter().platform, account: "bot" };
    await store.outbox.add([delivery("one", gone), delivery("two", gone)], 0);
    const [one] = await store.outbox.pending(account, 10);
    await store.outbox.sending(one?.id ?? 0, gone);
    const here = await world(echo, { on: store });
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("ann")).toEqual(["two"]);
    await expect.poll(() => store.outbox.interrupted(account)).toEqual([]);
  });

  it("leaves alone what a process that is still there has to do", async () => {
    const store = await left();
    const shared = { on: store, scripted: { shared: true } };
    const first = await world(endless("…"), shared);
    await first.adapter.write(ann, "mine");
    await until(() => first.gateway.lane(laneKey(first)).run !== undefined);
    await store.outbox.add([delivery("mine too", processHolder())], 0);
    const second = await world(echo, shared);
    await second.adapter.write({ userId: "bob" }, "hello");
    await second.adapter.until((sent) => sent.length === 1);
    expect(second.adapter.sent.map(({ text }) => text)).toEqual(["hello (1)"]);
    expect(first.gateway.lane(laneKey(first)).run).toBeDefined();
  });

  it("leaves its answers to whoever has the account, once it is another's", async () => {
    const store = await left();
    let go: () => void = () => {};
    const agent = scripted(async function* () {
      await new Promise<void>((resolve) => (go = resolve));
      yield* say("late");
    });
    const busy = { default: "queue", byPlatform: {}, byChat: {} } as const;
    const first = await world(agent, { on: store, leaseMs: 60, busy });
    await first.adapter.write(ann, "go");
    const lane = first.gateway.lane(laneKey(first));
    await until(() => lane.run !== undefined);
    await first.adapter.write(ann, "and then");
    expect(lane.waiting).toBe(1);
    const { accounts } = store;
    const holder = await accounts.lease(first.adapter, now);
    await accounts.take(first.adapter, { holder: "thief 1 1 x", leaseMs: 0 }, holder?.holder ?? null, now);
    const second = await world(echo, { on: store, leaseMs: 60 });
    await until(() => first.gateway.platforms()[0]?.state.kind === "standing by");
    await until(() => lane.waiting === 0); // What waited is the other's, too.
    go();
    await second.adapter.until((sent) => sent.length === 2);
    expect([first.adapter.sent, second.adapter.textsTo("ann")]).toEqual([[], ["late", "and then (3)"]]);
  });

  it("says of a command that was being carried out that nobody knows", async () => {
    const store = await left();
    const shared = { on: store, scripted: { shared: true } };
    const first = await world(echo, shared);
    const item = await store.inbox.accept(
      {
        platform: first.adapter.platform,
        account: "bot",
        kind: "command",
        key: laneKey(first),
        source: { platform: first.adapter.platform, chatId: "ann", chatType: "dm" },
        messageId: "c",
        text: "/undo 3",
      },
      gone,
      now,
    );
    await store.inbox.beginCommand((item?.id ?? 0) as InboxId, gone);
    const second = await world(echo, shared);
    await second.adapter.until((sent) => sent.length === 1);
    expect(second.adapter.textsTo("ann")[0]).toMatch(/interrupted while running \/undo/);
  });
});

describe("delivery", () => {
  it("tries again what can be, keeps the order, and never blindly repeats", async () => {
    const outcomes = ["retryable", "retryable", "ok", "unknown", "ok"];
    const here = await world(echo, {
      scripted: {
        onSend: ({ address }) => {
          if (address.chatId !== "ann") return;
          const outcome = outcomes.shift();
          if (outcome !== "ok") throw new SendError(outcome as "retryable", "no", { retryAfterMs: 0 });
        },
      },
    });
    await here.store.outbox.add([delivery("a", ""), delivery("b", ""), delivery("c", "")], 0);
    await here.adapter.write({ userId: "bob" }, "/ping"); // wakes the outbox
    await here.adapter.until((sent) => sent.filter(({ address }) => address.chatId === "ann").length === 2);
    expect(here.adapter.textsTo("ann")).toEqual(["a", "c"]);
    expect(here.problems).toEqual([expect.stringMatching(/unknown/)]);
  });

  it("waits as long as the platform asks for in time that passes, though the clock stands still", async () => {
    let refused = false;
    const onSend = () => {
      if (refused) return;
      refused = true;
      throw new SendError("retryable", "429", { retryAfterMs: 1 });
    };
    const here = await world(echo, { scripted: { onSend }, clock: () => 0 });
    await here.adapter.write(ann, "hello");
    await here.adapter.until((sent) => sent.length === 1);
    expect(here.adapter.textsTo("ann")).toEqual(["hello (1)"]);
  });
});

function delivery(deliveryId: string, holder: string): NewDelivery {
  const { platform, account } = new ScriptedAdapter();
  const address = { platform, chatId: "ann" };
  return {
    deliveryId: deliveryId as DeliveryId,
    account,
    holder,
    address,
    purpose: "notice",
    text: deliveryId,
    sessionId: null,
    shown: false,
  };
}

function laneKey({ adapter }: World) {
  return `agent:main:${adapter.platform}:dm:ann` as never;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
