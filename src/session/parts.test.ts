import { describe, expect, it } from "vitest";
import { boundedParts, checklistPart, contactPart, locationPart, part, pollPart } from "./parts.js";

describe("the parts of a message", () => {
  it("are said in one line each", () => {
    expect(pollPart("Lunch?", ["Pizza", "Soup"]).words).toBe("Lunch?, options: Pizza, Soup");
    expect(checklistPart("Shop", [{ text: "milk", isDone: true }, { text: "bread" }]).words).toBe(
      "Shop, tasks: milk (done), bread",
    );
    expect(locationPart({ name: "Café", latitude: 52.5, longitude: 13.4 }).words).toBe("Café, 52.5, 13.4");
    expect(locationPart({ latitude: 52.5 })).toEqual({ kind: "location" });
    expect(contactPart("Ada", ["+44 20"]).words).toBe("Ada, +44 20");
    expect(part("sticker", undefined)).toEqual({ kind: "sticker" });
    expect(part("game", "a\nb")).toEqual({ kind: "game", words: "a b" });
  });

  it("have a bounded length and number", () => {
    const options = Array.from({ length: 100 }, (_, n) => `option ${n} ${"x".repeat(10_000)}`);
    expect(pollPart("y".repeat(100_000), options).words?.length).toBeLessThanOrEqual(1_000);
    expect(pollPart("", ["a", "b"]).words).toBe("options: a, b");
    const many = boundedParts(Array.from({ length: 50 }, () => part("dice", "6")));
    expect(many).toHaveLength(21);
    expect(many.at(-1)).toEqual({ kind: "unsupported", words: "30 more parts" });
  });
});
