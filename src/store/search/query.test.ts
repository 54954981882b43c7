import { describe, expect, it } from "vitest";
import { parseQuery, withoutStars } from "./query.js";

const prefixes = (query: string) => parseQuery(query).map(({ prefix }) => prefix);

describe("a trailing star", () => {
  it("makes a prefix of two letters, or of one with others of its word before it", () => {
    expect(prefixes("ba* foo_b* b* foo_b bar")).toEqual([true, true, false, false, false]);
    expect(prefixes('"foo b*" foo_*')).toEqual([false, true]);
  });

  it("makes prefixes of few single letters, so that no query looks up all words there are", () => {
    const query = [..."abcdefgh"].map((letter) => `x_${letter}*`).join(" ");
    const counted = [...Array(4).fill(true), ...Array(4).fill(false), true];
    expect(prefixes(`${query} x_yz*`)).toEqual(counted);
    expect(prefixes(`y* ${query} x_yz*`)).toEqual([false, ...counted]);
  });
});

it("widens a query by the terms that have a star, and only by those", () => {
  expect(withoutStars(parseQuery("foo_b* ba* b* bar"))).toEqual([
    { terms: ["foo"], prefix: false },
    { terms: ["b"], prefix: false },
    { terms: ["bar"], prefix: false },
  ]);
  expect(withoutStars(parseQuery("ba*"))).toEqual([]);
  expect(withoutStars(parseQuery("b* bar"))).toBeNull();
});
