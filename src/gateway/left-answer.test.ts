/** An answer whose conversation went to another chat meanwhile: what happens in the chat that it left does not end it. */
import { afterEach, describe, expect, it } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { Agent, AgentEvent } from "../agent/agent.js";
import type { SessionId } from "../session/ids.js";
import type { BusyMode } from "./busy.js";

let world: World;
/** Where the question was asked. */
let sofa: Chat;
/** Where its conversation went meanwhile. */
let desk: Chat;
let id: SessionId;
let other: SessionId;
let isAnswering: boolean;
let finish: () => void;

/** Takes its time for `work`, and answers everything else at once. */
const agent: Agent = {
  name: "working",
  async *run({ history, signal, steer }): AsyncIterable<AgentEvent> {
    const last = history.at(-1)?.content ?? "";
    if (last === "work") {
      yield { kind: "text", text: "I began" };
      isAnswering = true;
      await new Promise<void>((resolve) => {
        finish = resolve;
        signal.addEventListener("abort", () => resolve());
      });
      if (signal.aborted) return;
    }
    const steered = steer().map(({ content }) => content);
    const content = ["answered", last, ...steered].join(" ");
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

async function begin(busy: BusyMode): Promise<void> {
  isAnswering = false;
  world = await World.open({ gateway: { agent, busy: { default: busy, byPlatform: {}, byChat: {} } } });
  sofa = world.chat("ann");
  desk = world.chat("ann", { chatId: "desk" });
  await desk.ask("else");
  other = (await desk.session()).sessionId;
  await sofa.write("work");
  await until(() => isAnswering);
  id = (await sofa.session()).sessionId;
  expect(await desk.ask(`/resume ${id}`)).toMatch(/^Back in /);
  expect(await sofa.next(0)).toMatch(/ moved to /);
}

const isDone = () => until(() => sofa.told.includes("answered work"));
const whole = ["user: work", "assistant: answered work"];

afterEach(() => world.close());

describe("it goes on after", () => {
  it.each([
    ["/new", () => "/new", /^A new session begins\.$/],
    ["/resume of another session", () => `/resume ${other}`, /^Back in /],
    ["/resume that brings it back", () => `/resume ${id}`, /^Back in /],
    ["/undo", () => "/undo", /./],
  ])("%s in the chat that its conversation left", async (_, command, reply) => {
    await begin("interrupt");
    expect(await sofa.ask(command())).toMatch(reply);
    finish();
    await isDone();
    expect(await sofa.transcript(id)).toEqual(whole);
  });

  it.each<BusyMode>(["interrupt", "queue", "steer"])(
    "a message there, which waits and is answered in a session of its own (%s)",
    async (busy) => {
      await begin(busy);
      await sofa.write("next");
      await until(() => world.gateway.lane(sofa.key).waiting === 1);
      finish();
      await until(() => sofa.told.length === 3);
      expect(sofa.told.slice(1)).toEqual(["answered work", "answered next"]);
      expect(await sofa.transcript(id)).toEqual(whole);
      expect(await sofa.transcript()).toEqual(["user: next", "assistant: answered next"]);
    },
  );
});

it("/stop ends it where its answer comes, and where its conversation is", async () => {
  for (const chat of ["sofa", "desk"]) {
    await begin("interrupt");
    const reply = await (chat === "sofa" ? sofa : desk).ask("/stop");
    expect(reply).toMatch(/^Stopp/);
    await until(() => world.gateway.lane(sofa.key).isEmpty);
    expect(await sofa.transcript(id)).toEqual(["user: work", "assistant: I began"]);
    if (chat === "sofa") await world.close();
  }
});
