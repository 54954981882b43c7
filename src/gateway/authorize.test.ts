import { describe, expect, it } from "vitest";
import { localSource, parseSource } from "../session/source.js";
import { authorize } from "./authorize.js";

const from = (platform: string, user_id: string, more = {}) =>
  parseSource({ platform, chat_id: "c", user_id, user_name: "Ann", ...more });

describe("the gate", () => {
  const people = { telegram: ["99"], whatsapp: ["+15551234567"], signal: ["uuid-1"], slack: [] };

  it.each<[boolean, string, ReturnType<typeof from>]>([
    [true, "whoever sits at the machine", localSource()],
    [true, "an exact id", from("telegram", "99")],
    [true, "another spelling of the same number", from("whatsapp", "15551234567:3@s.whatsapp.net")],
    [true, "the second id of a user", from("signal", "+49123", { user_id_alt: "uuid-1" })],
    [false, "a part of an id", from("telegram", "9")],
    [false, "an id with something behind it", from("telegram", "99 ")],
    [false, "the id of another platform", from("discord", "99")],
    [false, "a name", from("telegram", "1", { user_name: "99" })],
    [false, "a chat's id", parseSource({ platform: "telegram", chat_id: "99" })],
    [false, "anybody where the list is empty", from("slack", "U1")],
    [false, "a bot", from("telegram", "99", { is_bot: true })],
  ])("%s: %s", (allowed, _, source) => {
    expect(authorize(source, people).allowed).toBe(allowed);
  });

  it("knows nobody by the names that every object has", () => {
    expect(authorize({ ...from("telegram", "x"), platform: "telegram" }, {}).allowed).toBe(false);
    expect(authorize(from("telegram", "constructor"), { telegram: ["99"] }).allowed).toBe(false);
  });
});
