import { expect, it } from "vitest";
import {
  asSessionId,
  deliveryIdOf,
  isSessionId,
  newHandoffId,
  newTurnId,
  type SessionId,
  sessionIdAt,
} from "./ids.js";
import { buildSessionKey } from "./session-key.js";
import { localSource } from "./source.js";

it("takes an id from outside only in a shape that can be a file's name", () => {
  const made = sessionIdAt(Date.UTC(2026, 0, 2, 3, 4, 5), "00ff00ff00ff");
  expect(made).toBe("20260102_030405_00ff00ff00ff");
  expect(asSessionId(made)).toBe(made);
  for (const wrong of ["", "../up", "a b", "_a", "a".repeat(101)]) {
    expect(isSessionId(wrong)).toBe(false);
    expect(() => asSessionId(wrong)).toThrow(expect.objectContaining({ code: "invalid_session_id" }));
  }
});

it("is new for each turn and each handoff, and the same for the same words of the same work", () => {
  expect(newTurnId()).not.toBe(newTurnId());
  expect(newHandoffId()).not.toBe(newHandoffId());
  expect(deliveryIdOf("inbox", 7, "left")).toBe("inbox.7.left");
});

it("is checked by the compiler: no key and no text is taken for an id", () => {
  const name = (id: SessionId) => id.length;
  const key = buildSessionKey(localSource());
  // @ts-expect-error A key is not an id.
  expect(name(key)).toBeGreaterThan(0);
  // @ts-expect-error Neither is any text.
  expect(name("s1")).toBe(2);
  // @ts-expect-error Neither is the id of something else.
  expect(name(newTurnId())).toBeGreaterThan(0);
});
