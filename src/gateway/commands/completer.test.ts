import { expect, it } from "vitest";
import type { Sessions } from "../../session/sessions.js";
import { Commands, type CompletionCall } from "./commands.js";
import { Completer } from "./completer.js";
import { commandTable } from "./table.js";

const NO_SESSIONS = null as unknown as Sessions;

function completer({ models = ["gpt-b"] }: { models?: readonly string[] | null } = {}) {
  const list = async () => models ?? Promise.reject(new Error("offline"));
  const table = commandTable({
    agent: "x",
    clock: () => 90_000,
    model: { name: "gpt-a", where: "here", list },
  });
  let arrivals = 0;
  let arrived: () => void = () => {};
  const places = [{ word: "slack:C0AB", name: "Ops", address: { platform: "slack", chatId: "C0AB" } }];
  const entries = [
    { sessionId: "20260101_a", title: "Garden", messageCount: 2, updatedAt: 30_000 },
    { sessionId: "20260101_b", title: "Same", messageCount: 1, updatedAt: 30_000 },
    { sessionId: "20260101_c", title: "Same", messageCount: 1, updatedAt: 30_000 },
    { sessionId: "20260101_d", title: "2026", messageCount: 1, updatedAt: 30_000 },
    { sessionId: "20260101_e", title: null, messageCount: 1, updatedAt: 30_000 },
  ];
  const call = {
    who: { role: "owner" },
    view: { list: async () => ({ items: entries }) },
    sessions: { history: async () => [{ role: "user", content: "roses, please" }] },
    places: async () => places,
  };
  const made = new Completer({
    commands: new Commands(table, NO_SESSIONS),
    call: async () => call as unknown as CompletionCall,
    onArrived: () => {
      arrivals += 1;
      arrived();
    },
  });
  const texts = (line: string) => made.complete(line).map(({ text }) => text);
  const arrival = () =>
    new Promise<void>((resolve) => {
      arrived = resolve;
    });
  return { made, texts, arrival, arrivals: () => arrivals, places };
}

it("has the commands at once, with those that need nothing more", () => {
  const { made, texts } = completer();
  expect(texts("/st")).toEqual(["/status", "/stop", "/steer"]);
  expect(made.complete("/STOP")).toMatchObject([{ text: "/stop", ends: true }]);
  expect(made.complete("/search")).toMatchObject([{ text: "/search", ends: false }]);
  expect(texts("/nope x")).toEqual([]);
});

it("looks places up when the command stands there, tells when they came, and keeps them for the next line", async () => {
  const { made, texts, arrival, arrivals, places } = completer();
  expect(texts("/handoff")).toEqual(["/handoff"]);
  await arrival();
  expect(made.complete("/handoff t")[0]).toEqual({ text: "slack:C0AB", description: "Ops", ends: true });
  expect(texts("/handoff sl")).toEqual(["slack:C0AB", "cancel"]);
  expect(arrivals()).toBe(1);
  places.push({ ...places[0], word: "ops" } as (typeof places)[number]);
  texts("/h");
  expect(texts("/handoff ")).toEqual(["slack:C0AB", "cancel"]);
  await arrival();
  expect(texts("/handoff ")).toEqual(["slack:C0AB", "ops", "cancel"]);
});

it("names sessions by their titles, and by their ids where a title would mean something else", async () => {
  const { made, arrival } = completer();
  made.complete("/resume ");
  await arrival();
  expect(made.complete("/resume ")).toEqual([
    { text: "Garden", label: "Garden", description: "2 messages, 1 min ago · 20260101_a", ends: true },
    { text: "20260101_b", label: "Same", description: "1 message, 1 min ago · 20260101_b", ends: true },
    { text: "20260101_c", label: "Same", description: "1 message, 1 min ago · 20260101_c", ends: true },
    { text: "20260101_d", label: "2026", description: "1 message, 1 min ago · 20260101_d", ends: true },
    {
      text: "20260101_e",
      label: 'untitled, "roses, please"',
      description: "1 message, 1 min ago",
      ends: true,
    },
  ]);
});

it("offers models, also if the server does not list them", async () => {
  for (const [models, words] of [
    [
      ["gpt-b", "gpt-c"],
      ["default", "gpt-b", "gpt-c"],
    ],
    [null, ["default"]],
  ] as const) {
    const { texts, arrival } = completer({ models });
    texts("/model ");
    await arrival();
    expect(texts("/model ")).toEqual(words);
  }
});

it("knows the words that other commands take", async () => {
  const { made, texts, arrival } = completer();
  texts("/memory ");
  await arrival();
  expect(made.complete("/memory ")).toContainEqual({ text: "add", description: "add a note", ends: false });
  texts("/help ");
  await arrival();
  expect(texts("/help ")).toContain("resume");
});
