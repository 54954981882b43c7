/** `baton people devices`: who is signed in to the page in which browsers, and signing them out. */
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../src/open-sessions.js";
import { baton, makeHome } from "./support/baton.js";

const SIGNED_IN_AT = Date.UTC(2026, 0, 10, 12);
const HOUR_MS = 3_600_000;
const PERSON = "p_00000000a1";

let home = makeHome();

/** Ann has two accounts, and two browsers with each; Bob and the person at this machine have one. */
async function signIn(): Promise<void> {
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  const { devices } = store;
  await store.people.join("telegram:1", "matrix:@ann%3Ab.org", PERSON, SIGNED_IN_AT);
  const all = [
    ["4f2c000001", "telegram:1", "Firefox on Linux"],
    ["4f2c000002", "telegram:1", "Safari\u001b[31m on\niPhone"],
    ["aa00000001", "matrix:@ann%3Ab.org", "Chrome on Android"],
    ["bb00000001", "telegram:2", "Edge on Windows"],
    ["cc00000001", "local:terminal", "Firefox on macOS"],
  ] as const;
  for (const [n, [id, identity, name]] of all.entries()) {
    const at = SIGNED_IN_AT + n;
    await devices.offer(id, { identity, alias: null, called: null }, at + 1, at);
    await devices.enter(id, { id, name, tokenHash: `token of ${id}` }, at);
  }
  await devices.known("token of 4f2c000002", SIGNED_IN_AT + HOUR_MS + 1);
  await sessions.close();
}
async function left(): Promise<string[]> {
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  const ids = (await store.devices.list(null)).map(({ id }) => id);
  await sessions.close();
  return ids.sort();
}
const devices = (...words: string[]) => baton(home, ["people", "devices", ...words]);
const json = async (...words: string[]) => JSON.parse((await devices(...words, "--json")).stdout);

const ALL = ["4f2c000001", "4f2c000002", "aa00000001", "bb00000001", "cc00000001"];

beforeEach(() => {
  home = makeHome();
});

describe("baton people devices list", () => {
  test("says so if nobody is signed in", async () => {
    expect(await devices("list")).toEqual({
      code: 0,
      stdout: "Nobody is signed in to the page in a browser.\n",
      stderr: "",
    });
    expect(await json("list")).toEqual({ devices: [] });
  });

  test("lists all browsers, last seen first, with clean names", async () => {
    await signIn();
    const { stdout } = await devices("list");
    const [head = "", ...rows] = stdout.trimEnd().split("\n");
    expect(head.trim().split(/ {2,}/)).toEqual(["ID", "WHO", "BROWSER", "SIGNED IN", "LAST SEEN"]);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 3))).toEqual([
      ["4f2c000002", "telegram:1", "Safari on iPhone"],
      ["cc00000001", "local:terminal", "Firefox on macOS"],
      ["bb00000001", "telegram:2", "Edge on Windows"],
      ["aa00000001", "matrix:@ann%3Ab.org", "Chrome on Android"],
      ["4f2c000001", "telegram:1", "Firefox on Linux"],
    ]);
    expect((await devices()).stdout).toBe(stdout);
  });

  test("gives programs what it knows, and no token", async () => {
    await signIn();
    const { stdout } = await devices("list", "--json");
    const { devices: all } = JSON.parse(stdout);
    expect(all[0]).toEqual({
      id: "4f2c000002",
      identity: "telegram:1",
      name: "Safari on iPhone",
      createdAt: SIGNED_IN_AT + 1,
      seenAt: SIGNED_IN_AT + HOUR_MS + 1,
    });
    expect(all).toHaveLength(ALL.length);
    expect(stdout).not.toContain("token of");
  });
});

describe("baton people devices revoke", () => {
  beforeEach(signIn);

  test("signs out one browser, by its id or the beginning of it", async () => {
    expect(await devices("revoke", "4f2c000001")).toEqual({
      code: 0,
      stdout: "Signed telegram:1 out of 1 browser.\n",
      stderr: "",
    });
    expect(await json("revoke", "cc")).toEqual({ revoked: ["cc00000001"] });
    expect(await left()).toEqual(["4f2c000002", "aa00000001", "bb00000001"]);
  });

  test.each(["4f2c", "ff", "4f2c0000012"])(
    "%s, which is no browser or several, signs out none",
    async (which) => {
      const run = await devices("revoke", which);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toBe(
        `baton: No device has the id ${which}, or more than one begins with it. Run \`baton people devices\` to see them all.\n`,
      );
      const asked = await devices("revoke", which, "--json");
      expect(JSON.parse(asked.stderr).error.code).toBe("device_not_found");
      expect(await left()).toEqual(ALL);
    },
  );

  test.each(["telegram:1", "Telegram:1", "matrix:@ann:b.org", PERSON])(
    "%s: signs out all browsers of a person, under all of their accounts",
    async (who) => {
      const { stdout, code } = await devices("revoke", who);
      expect([code, stdout]).toEqual([0, "Signed telegram:1 and matrix:@ann%3Ab.org out of 3 browsers.\n"]);
      expect(await left()).toEqual(["bb00000001", "cc00000001"]);
    },
  );

  test("signs out who is no person in the store, and the person at this machine", async () => {
    expect((await devices("revoke", "telegram:2")).stdout).toBe("Signed telegram:2 out of 1 browser.\n");
    expect(await json("revoke", "local:terminal")).toEqual({ revoked: ["cc00000001"] });
    expect(await left()).toEqual(ALL.slice(0, 3));
  });

  test.each([
    ["telegram:3", 1, "telegram:3 is not signed in to the page in any browser."],
    ["p_00000000b2", 1, "p_00000000b2 is not signed in to the page in any browser."],
    ["telegrm:1", 2, 'Did you mean "telegram"?'],
    ["telegram:@ann", 2, '"@ann" matches nobody on Telegram'],
  ] as const)("%s is refused, and signs out nobody", async (who, code, problem) => {
    const run = await devices("revoke", who);
    expect(run).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(problem) });
    expect(await left()).toEqual(ALL);
  });
});
