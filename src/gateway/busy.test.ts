import { expect, it } from "vitest";
import { type BusyModes, busyModeFor } from "./busy.js";

const modes: BusyModes = {
  default: "interrupt",
  byPlatform: { matrix: "steer" },
  byChat: {
    "matrix:!r:ex.org": "queue",
    "matrix:!s%3Aex.org": "interrupt",
    "telegram:-100": "queue",
    "whatsapp:+15551234567": "queue",
  },
};

it.each([
  ["matrix", "!r:ex.org", "queue"],
  ["matrix", "!s:ex.org", "interrupt"],
  ["matrix", "!t:ex.org", "steer"],
  ["telegram", "-100", "queue"],
  ["telegram", "100", "interrupt"],
  ["whatsapp", "15551234567", "queue"],
  ["whatsapp", "15551234568", "interrupt"],
] as const)(
  "%s:%s has the mode of its chat, else of its platform, else the general one",
  (platform, chatId, mode) => {
    expect(busyModeFor(modes, { platform, chatId, chatType: "group" })).toBe(mode);
  },
);
