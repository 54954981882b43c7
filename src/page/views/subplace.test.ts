import fc from "fast-check";
import { expect, it } from "vitest";
import { partsBelow, placeBelow } from "./subplace.js";

it("names nothing at the place itself, or elsewhere", () => {
  for (const path of ["/jobs", "/jobs/", "/jobsboard/x", "/", "/usage/x"])
    expect(partsBelow("/jobs", path)).toEqual([]);
});

it("leaves out what follows the path, and takes an escape that is none as it is", () => {
  expect(partsBelow("/gateway", "/gateway/outbox/failed?x=/y#z")).toEqual(["outbox", "failed"]);
  expect(partsBelow("/jobs", "/jobs/%zz")).toEqual(["%zz"]);
});

it("finds whatever it has named", () => {
  const id = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(id, (text) => {
      expect(partsBelow("/jobs", placeBelow("/jobs", text))).toEqual([text]);
    }),
  );
});
