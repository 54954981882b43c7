/** Two processes over one store: each knows what the other one serves, as long as it does. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { Agent, TurnInput } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import { LOCAL, platforms } from "../session/platform.js";

const [, THERE = "", NOWHERE = ""] = platforms();
const homeChannels = [
  { address: { platform: THERE, chatId: "ann" }, name: "the chat there" },
  { address: { platform: NOWHERE, chatId: "ann" }, name: "the chat nowhere" },
];

const turns: TurnInput[] = [];
/** `send <address> <text>` calls the tool. */
const agent: Agent = {
  name: "reader",
  async *run(turn) {
    turns.push(turn);
    const [word, to = "", ...text] = (turn.history.at(-1)?.content ?? "").split(" ");
    const call = { id: "c1", name: "send_message", arguments: JSON.stringify({ to, text: text.join(" ") }) };
    const content = word === "send" ? await runToolCall(call, turn.tools, turn.signal) : "read";
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

let there: World;
let here: World;
let ann: Chat;
beforeEach(async () => {
  turns.length = 0;
  there = await World.open({ platform: THERE, shared: false });
  here = await World.open({ platform: LOCAL, on: there.store, gateway: { agent, homeChannels } });
  ann = here.chat("ann");
});
afterEach(async () => {
  await here.close();
  await there.close();
});

it("the prompt at a terminal names the platforms that a gateway serves, and only their home channels", async () => {
  await ann.ask("hello");
  expect(turns[0]?.prompt).toContain(`local (this machine), ${THERE}: Connected ✓`);
  expect(turns[0]?.prompt).toContain(`- ${THERE}: (ID: ann)`);
  expect(turns[0]?.prompt).not.toContain(NOWHERE);
  expect(turns[0]?.labels).toContain("the chat there");
  expect(turns[0]?.labels).not.toContain("the chat nowhere");
  await ann.ask("again");
  expect(turns[1]?.prompt).toBe(turns[0]?.prompt);
});

it("none is named once that gateway has ended", async () => {
  expect(await ann.ask("/platforms")).toMatch(
    /^- Local: connected .*\n- \w+: connected just now, by a running gateway$/,
  );
  await there.gateway.stop({ drainMs: 0 });
  await ann.ask("hello");
  expect(turns[0]?.prompt).toMatch(/\*\*Connected Platforms:\*\* local \(this machine\)$/);
  expect(turns[0]?.labels ?? "").not.toContain("the chat there");
  expect(await ann.ask("/platforms")).toContain("not connected: its gateway is not running");
});

it("`send_message` at a terminal goes through the gateway that serves the platform", async () => {
  const far = there.chat("ann");
  await far.ask("hello");
  expect(await ann.ask(`send ${THERE}:ann see you`)).toBe(`It is on its way to ${THERE}:ann.`);
  await until(() => far.told.includes("see you"));
  await there.gateway.stop({ drainMs: 0 });
  expect(await ann.ask(`send ${THERE}:ann too late`)).toMatch(
    /^Error: \w+ is not connected now: no gateway is serving it\. Nothing was sent\.$/,
  );
});
