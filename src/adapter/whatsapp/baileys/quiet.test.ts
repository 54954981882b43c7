import { createRequire } from "node:module";
import { expect, it, vi } from "vitest";
import { hush } from "./quiet.js";

/** The record of a conversation: opening and closing one prints it, private keys included. */
interface SessionRecord {
  openSession(session: object): void;
  closeSession(session: object): void;
}

it("what the Signal library prints is left out, and nobody else's words", () => {
  const load = createRequire(createRequire(import.meta.url).resolve("baileys"));
  const { SessionRecord } = load("libsignal") as { SessionRecord: new () => SessionRecord };
  const printed = vi.spyOn(console, "info").mockImplementation(() => {});
  const session = { indexInfo: { closed: 1 }, secret: "private key" };
  new SessionRecord().openSession(session);
  expect(printed).toHaveBeenCalledTimes(1); // So it would be.
  const speak = hush();
  new SessionRecord().closeSession(session);
  new SessionRecord().openSession({ ...session, indexInfo: { closed: 1 } });
  console.info("ours");
  expect(printed).toHaveBeenCalledTimes(2);
  expect(printed).toHaveBeenLastCalledWith("ours");
  speak();
  expect(console.info).toBe(printed);
  printed.mockRestore();
});

it("leaves the console to who took it over meanwhile", () => {
  const speak = hush();
  const other = vi.spyOn(console, "warn").mockImplementation(() => {});
  speak();
  expect(console.warn).toBe(other);
  other.mockRestore();
});
