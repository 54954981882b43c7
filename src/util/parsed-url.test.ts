import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parsedUrl } from "./parsed-url.js";

/** More than enough for a compiler that looks for what is called often. */
const OFTEN = 50_000;

test("a letter beyond ASCII is fine, however often one asks", () => {
  const refused = Array.from({ length: OFTEN }, () => parsedUrl("https://exämple.org/ü")).filter(
    (url) => !url,
  );
  expect(refused).toHaveLength(0);
  expect(parsedUrl("https://exämple.org/ü")?.href).toBe("https://xn--exmple-cua.org/%C3%BC");
});

test("what is no URL is null, and a base completes one", () => {
  expect(parsedUrl("nonsense")).toBeNull();
  expect(parsedUrl("/b?c", "https://example.org/a")?.href).toBe("https://example.org/b?c");
  expect(parsedUrl("/b", "nonsense")).toBeNull();
});

test("nobody asks Node.js whether it can parse one", () => {
  const asks = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("parsed-url"))
    .filter((name) => readFileSync(join("src", name), "utf8").includes("canParse"));
  expect(asks).toEqual([]);
});
