/** `/web`: a link for whoever asks in private, and the browsers in which they are signed in. Nothing of it is for others. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import { WEB, WEB_ACCOUNT, webSource } from "../../adapter/web/web-source.js";
import { ScriptedAdapter } from "../../testing/scripted-adapter.js";
import { PAGE_ADDRESS, type PageAddress } from "../web/address.js";
import { secretHash } from "../web/links.js";

const PLATFORM = "telegram";
const [ANN, BOB] = ["telegram:ann", "telegram:bob"];
const NOT_THERE =
  "No browser of yours has this id, or more than one begins with it. Send /web devices to list yours.";
const IN_PRIVATE = "Others would see it here. Send it to me in private.";
const MINUTE_MS = 60_000;

let world: World;
let page: ScriptedAdapter;
let ann: Chat;
let bob: Chat;
const open = async (isServed = true): Promise<void> => {
  page = new ScriptedAdapter({ platform: WEB, account: WEB_ACCOUNT, shared: true });
  world = await World.open({ platform: PLATFORM, beside: isServed ? [page] : [] });
  [ann, bob] = [world.chat("ann"), world.chat("bob")];
};
beforeEach(() => open());
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

/** The page says where it is, as its adapter does. */
const at = (address: PageAddress): Promise<void> =>
  world.store.accounts.write({ platform: WEB, account: WEB_ACCOUNT }, PAGE_ADDRESS, JSON.stringify(address));
const keyIn = (told: string): string =>
  /^<https:\/\/baton\.example\.org\/#key=([\w-]{22})>\n/.exec(told)?.[1] ?? expect.unreachable(told);
/** Somebody opens the link. */
const enter = (key: string, id = "0123456789", name = "Firefox on Linux") =>
  world.store.devices.enter(secretHash(key), { id, name, tokenHash: `token of ${id}` }, world.now);
/** Browsers in which somebody is signed in. */
async function signIn(identity: string, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { devices } = world.store;
    await devices.offer(id, { identity, alias: null, called: null }, world.now + 1, world.now);
    await devices.enter(id, { id, name: `browser ${id}`, tokenHash: `token of ${id}` }, world.now);
  }
}
const known = async (identity: string) =>
  (await world.store.devices.list([identity])).map(({ id }) => id).sort();

describe("/web", () => {
  beforeEach(() => at({ url: "https://baton.example.org", isLocal: false }));

  it("gives a link that signs in once, as who they are in this chat", async () => {
    const told = await ann.ask("/web");
    expect(told.split("\n\n").slice(1)).toEqual([
      "This link signs you in to the page. It is valid for five minutes and works once. Whoever opens it is signed in as you, so give it to nobody.",
    ]);
    const key = keyIn(told);
    expect(await enter(key)).toMatchObject({ identity: ANN, alias: null, called: "Ann" });
    expect(await enter(key, "other")).toBeNull();
    expect(await known(ANN)).toEqual(["0123456789"]);
  });

  it("gives another one each time, for five minutes", async () => {
    const [one, two] = [keyIn(await ann.ask("/web")), keyIn(await ann.ask("/web"))];
    expect(one).not.toBe(two);
    world.now += 5 * MINUTE_MS - 1;
    expect(await enter(one)).not.toBeNull();
    world.now += 1;
    expect(await enter(two)).toBeNull();
  });

  it("says so if only this machine can open it", async () => {
    expect(await ann.ask("/web")).not.toContain("web.publicUrl");
    await at({ url: "http://127.0.0.1:22866", isLocal: true });
    const told = (await ann.ask("/web")).split("\n\n");
    expect(told[0]).toMatch(/^<http:\/\/127\.0\.0\.1:22866\/#key=[\w-]{22}>$/);
    expect(told[2]).toBe(
      "It works only in a browser on the machine that I run on. To reach the page from elsewhere, set `web.publicUrl`.",
    );
  });

  it("is who somebody is elsewhere, if they ask in the page", async () => {
    const { chatId, ...source } = webSource(ANN, "Ann");
    const here = world.chat(chatId, source, page);
    expect(await enter(keyIn(await here.ask("/web")))).toMatchObject({ identity: ANN, called: "Ann" });
  });

  it("is refused in a group, and nothing is made", async () => {
    const offer = vi.spyOn(world.store.devices, "offer");
    await signIn(ANN, "0123456789");
    offer.mockClear();
    const group = world.chat("ann", { chatId: "-100", chatType: "group", chatName: "Team" });
    for (const words of ["", " devices", " sign-out all", " sign-out 0123456789"])
      expect(await group.ask(`/web${words}`)).toBe(IN_PRIVATE);
    expect(offer).not.toHaveBeenCalled();
    expect(await known(ANN)).toEqual(["0123456789"]);
    await ann.ask("/web");
    expect(offer).toHaveBeenCalledOnce();
  });

  it("takes nothing else", async () => {
    const offer = vi.spyOn(world.store.devices, "offer");
    for (const words of ["link", "sign-out", "devices all", "sign-out one two"])
      expect(await ann.ask(`/web ${words}`)).toBe(
        "Send /web, /web devices, or `/web sign-out` with an id or `all`.",
      );
    expect(offer).not.toHaveBeenCalled();
  });
});

describe("/web while the page is not served", () => {
  const NOT_SERVED =
    "The page is not running now. On my machine, run `baton web`, or set `web.enabled` and restart the gateway. Then send /web again.";

  it("says what to do, and makes no link", async () => {
    await world.close();
    await open(false);
    const offer = vi.spyOn(world.store.devices, "offer");
    expect(await ann.ask("/web")).toBe(NOT_SERVED);
    await at({ url: "https://baton.example.org", isLocal: false }); // As it was once.
    expect(await ann.ask("/web")).toBe(NOT_SERVED);
    expect(offer).not.toHaveBeenCalled();
  });

  it("lists and signs out browsers all the same", async () => {
    await signIn(ANN, "0123456789");
    expect(await ann.ask("/web devices")).toContain("`0123456789`");
    expect(await ann.ask("/web sign-out 0123456789")).toBe("Signed out.");
  });
});

describe("/web devices", () => {
  it("lists where somebody is signed in, last seen first, and nobody else", async () => {
    expect(await ann.ask("/web devices")).toBe(
      "You are signed in in no browser. /web gives you a link to sign in.",
    );
    await signIn(ANN, "aaaaaaaaaa");
    await signIn(BOB, "bbbbbbbbbb");
    world.now += 2 * 60 * MINUTE_MS;
    await signIn(ANN, "cccccccccc");
    expect(await ann.ask("/web Devices")).toBe(
      [
        "You are signed in in 2 browsers:",
        "- `cccccccccc`: browser cccccccccc, last seen just now",
        "- `aaaaaaaaaa`: browser aaaaaaaaaa, last seen 2 h ago",
        "To sign one out, send `/web sign-out` and its id.",
      ].join("\n"),
    );
    expect(await bob.ask("/web devices")).toContain("in 1 browser:\n- `bbbbbbbbbb`: ");
  });

  it("shows what a browser calls itself on one line, and not all of it", async () => {
    await world.store.devices.offer("x", { identity: ANN, alias: null, called: null }, world.now + 1, 0);
    const name = `a\n- b\u202e\u001b[31m ${"x".repeat(200)}`;
    await world.store.devices.enter("x", { id: "0123456789", name, tokenHash: "x" }, world.now);
    const [, line = "", ...rest] = (await ann.ask("/web devices")).split("\n");
    expect(line).toMatch(/^- `0123456789`: a - b x+…, last seen just now$/);
    expect(line.length).toBeLessThan(110);
    expect(rest).toHaveLength(1);
  });
});

describe("/web sign-out", () => {
  beforeEach(async () => {
    await signIn(ANN, "aaaa000001", "aaaa000002", "cccc000001");
    await signIn(BOB, "bbbb000001", "cccc000002");
  });

  it("signs a browser out by its id, or the beginning of it", async () => {
    expect(await ann.ask("/web sign-out aaaa000002")).toBe("Signed out.");
    expect(await ann.ask("/web signout c")).toBe("Signed out."); // Bob's begins like that as well.
    expect([await known(ANN), await known(BOB)]).toEqual([["aaaa000001"], ["bbbb000001", "cccc000002"]]);
    expect(await world.store.devices.known("token of aaaa000002", world.now)).toBeNull();
  });

  it("signs out none if several begin like that", async () => {
    expect(await ann.ask("/web sign-out aaaa")).toBe(NOT_THERE);
    expect(await known(ANN)).toHaveLength(3);
  });

  it("answers an id of somebody else like one that is nobody's", async () => {
    for (const id of ["bbbb000001", "bbbb", "cccc000002", "dddd000001"])
      expect(await ann.ask(`/web sign-out ${id}`)).toBe(NOT_THERE);
    expect([await known(ANN), await known(BOB)].map(({ length }) => length)).toEqual([3, 2]);
  });

  it("all: signs out all of theirs, under all of their accounts, and nobody else", async () => {
    await world.store.people.join(ANN, "discord:7", "p_0000000001", world.now);
    await signIn("discord:7", "dddd000001");
    expect(await ann.ask("/web sign-out ALL")).toBe(
      "Signed out 4 browsers. Links that you did not use are no longer valid.",
    );
    expect([await known(ANN), await known("discord:7")]).toEqual([[], []]);
    expect(await known(BOB)).toHaveLength(2);
    expect(await ann.ask("/web sign-out all")).toBe(
      "You are signed in in no browser. Links that you did not use are no longer valid.",
    );
  });
});
