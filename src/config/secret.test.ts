import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withoutPassword } from "./secret.js";

describe("a URL without its password", () => {
  test.each([
    ["postgres://me:hunter2@host:5432/db?x=1", "postgres://me:***@host:5432/db?x=1"],
    ["postgresql://:hunter2@host/db", "postgresql://:***@host/db"],
    ["postgres://me:hun@ter2@host/db", "postgres://me:***@host/db"],
    ["postgres://me:hun/ter2?#@host/db", "postgres://me:***@host/db"],
    ["postgres:/me:hunter2@host/db", "postgres:/me:***@host/db"],
    ["postgres://host/db?user=me&password=hunter2&x=1", "postgres://host/db?user=me&password=***&x=1"],
    ["mysql://me:hunter2@host/db", "mysql://me:***@host/db"],
    ["postgres://me@host:5432/db", "postgres://me@host:5432/db"],
    ["postgres://host:5432/db", "postgres://host:5432/db"],
    ["/data/a:b@c.db", "/data/a:b@c.db"],
    ["sqlite:/data/a:b@c.db", "sqlite:/data/a:b@c.db"],
  ])("%s", (url, shown) => {
    expect(withoutPassword(url)).toBe(shown);
  });

  test("whatever the password is made of", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (password) => {
        expect(withoutPassword(`postgres://me:${password}@host/db`)).toBe("postgres://me:***@host/db");
      }),
    );
  });
});
