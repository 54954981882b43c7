import { describe, expect, it } from "vitest";
import type { DeliveryId } from "../../session/ids.js";
import { Sessions } from "../../session/sessions.js";
import { localSource, serializeSource } from "../../session/source.js";
import type { SqlValue } from "../db.js";
import { openSqlStore } from "../sql-store.js";
import { openSqlite } from "../sqlite/db.js";
import { address, flag, json, maybe, number, oneOf, source, text } from "./values.js";

type Read = (value: SqlValue | undefined) => unknown;
const state = (value: SqlValue | undefined) => oneOf(value, ["pending", "sent"]);

describe("a column becomes a value", () => {
  it.each<[string, Read, SqlValue, unknown]>([
    ["a text", text, "hello", "hello"],
    ["a number", number, 7, 7],
    ["a sum that PostgreSQL gives as text", number, "7", 7],
    ["a flag that is set", flag, 1, true],
    ["a flag that is not set", flag, 0, false],
    ["JSON", json, '{"a":[1]}', { a: [1] }],
    ["an address", address, "local:cli", { platform: "local", chatId: "cli" }],
    ["a source", source, JSON.stringify(serializeSource(localSource())), localSource()],
    ["one of some words", state, "sent", "sent"],
  ])("%s", (_, read, stored, value) => {
    expect(read(stored)).toEqual(value);
    expect(maybe(stored, read)).toEqual(value);
    expect(maybe(null, read)).toBeNull();
  });

  it.each<[string, Read, SqlValue, string]>([
    ["no text", text, null, "a text, but has nothing"],
    ["a number for a text", text, 7, "a text, but has a number"],
    ["a text for a number", number, "seven", "a number, but has another text"],
    ["an empty number", number, "", "a number, but has another text"],
    ["no number", number, null, "a number, but has nothing"],
    ["a flag of two", flag, 2, "0 or 1, but has a number"],
    ["broken JSON", json, "{", "JSON, but has another text"],
    ["an unknown word", state, "lost", "one of pending, sent, but has another text"],
    ["no word", state, null, "one of pending, sent, but has nothing"],
  ])("%s is an error of the store", (_, read, stored, words) => {
    expect(() => read(stored)).toThrow(words);
    for (const attempt of [() => read(stored), () => read(undefined), () => maybe(undefined, read)])
      expect(attempt).toThrow(expect.objectContaining({ code: "store_corrupt" }));
  });
});

it("is an error to read a delivery of an unknown kind, not a delivery without a renderer", async () => {
  const db = await openSqlite(":memory:");
  const store = await openSqlStore(db, 0);
  const to = { account: "bot", holder: "", address: { platform: "local", chatId: "cli" } };
  const said = {
    ...to,
    deliveryId: "d" as DeliveryId,
    purpose: "notice",
    text: "hi",
    sessionId: null,
    shown: false,
  } as const;
  await store.outbox.add([said], 0);
  await db.run("UPDATE outbox SET kind = 'poem'");
  await expect(store.outbox.pending({ platform: "local", account: "bot" }, 1)).rejects.toMatchObject({
    code: "store_corrupt",
    message: expect.stringContaining("one of reply, notice, "),
  });
  await store.close();
});

it("a handoff of a platform that is not known here can be listed and cancelled", async () => {
  const db = await openSqlite(":memory:");
  const sessions = new Sessions(await openSqlStore(db, 0));
  const { entry } = await sessions.receive(localSource(), { role: "user", content: "hi" });
  const { id } = await sessions.requestHandoff(entry.sessionId, "irc:#baton");
  const gone = { platform: "irc", chat_id: "#baton", chat_type: "group", user_id: "ann" };
  const asker = JSON.stringify({ source: gone, account: "bot", owner: "" });
  await db.run("UPDATE moves SET asker = ?, destination = ?", asker, JSON.stringify(gone));
  const known = { platform: "irc", chatId: "#baton", chatType: "group" };
  expect(await sessions.listPendingHandoffs()).toMatchObject([
    { id, asker: { source: known }, destination: known },
  ]);
  expect(await sessions.failHandoff(id, { error: "no longer wanted" })).toMatchObject({ state: "failed" });
  await sessions.close();
});
