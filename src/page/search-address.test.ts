import { expect, it } from "vitest";
import { type HitFilter, searchAddress } from "./search-address.js";

const ALL: HitFilter = { platform: null, by: "anybody", from: "", to: "" };
const asked = (filter: Partial<HitFilter>): object =>
  Object.fromEntries(
    new URL(searchAddress("a & b", { ...ALL, ...filter }), "http://127.0.0.1").searchParams.entries(),
  );

it("asks for words, and for what the person has chosen", () => {
  expect(asked({})).toEqual({ q: "a & b" });
  expect(asked({ platform: "telegram", by: "agent" })).toEqual({
    q: "a & b",
    platform: "telegram",
    role: "assistant",
  });
  expect(asked({ by: "people", from: "2026-11-19" })).toEqual({
    q: "a & b",
    role: "user",
    after: "2026-11-19",
  });
});

it("has the last day in it, and asks for no day that there is not", () => {
  expect(asked({ to: "2026-12-31" })).toEqual({ q: "a & b", before: "2027-01-01" });
  expect(asked({ to: "2028-02-28" })).toEqual({ q: "a & b", before: "2028-02-29" });
  for (const day of ["2026-13-40", "12026-01-01", "9999-12-31", "x"])
    expect(asked({ to: day })).toEqual({ q: "a & b" });
  expect(asked({ from: "x" })).toEqual({ q: "a & b" });
});
