/** The page with a certificate of its own: people sign in over HTTPS, and a certificate that can't be used is named. */
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConnectError } from "../../src/adapter/adapter.js";
import { KeptAdapter } from "../../src/testing/kept-adapter.js";
import { OF_THE_PAGE } from "../support/page-server.js";
import { ANN, codeOf, cookieSet, SignInWorld } from "../support/sign-in-world.js";
import { LOOPBACK_PEM, webCall } from "../support/web-call.js";
import { WebWorld } from "../support/web-world.js";

const PEM = fileURLToPath(LOOPBACK_PEM);
const TLS = { certFile: PEM, keyFile: PEM };
const OTHER_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
  type: "pkcs8",
  format: "pem",
}) as string;

describe("the page over TLS", () => {
  let world: SignInWorld;
  beforeEach(async () => {
    world = await SignInWorld.open();
    await world.again({ tls: TLS });
  });
  afterEach(() => world.close());

  test("is under https, and a link signs in with a cookie that goes nowhere else", async () => {
    expect(await world.linkFor(ANN)).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/#key=/);
    const entered = await world.enter(await world.keyFor(ANN));
    expect(entered.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^__Host-baton=[A-Za-z0-9_-]{22}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    const cookie = cookieSet(entered);
    expect(await world.whoIs(cookie)).toBe(ANN);
    expect(await world.whoIs(cookie.replace("__Host-", ""))).toBeNull();
    expect(await world.say(cookie)).toBe(200);
    const { headers } = await world.post("/api/leave", {}, { cookie });
    expect(headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-baton=; .*Max-Age=0; .*; Secure$/),
    ]);
    expect(await world.whoIs(cookie)).toBeNull();
  });

  test("takes calls from its own origin only, which is https", async () => {
    const key = await world.keyFor(ANN);
    const from = (origin: string) => world.enter(key, { headers: { ...OF_THE_PAGE, origin } });
    const refused = await from(world.page.url.replace("https:", "http:"));
    expect([refused.status, codeOf(refused)]).toEqual([403, "wrong_origin"]);
    expect((await from(world.page.url)).status).toBe(200);
  });

  test("answers nobody without TLS", async () => {
    const plain = world.page.url.replace("https:", "http:");
    await expect(webCall(plain, { path: "/" })).rejects.toThrow();
    expect((await webCall(world.page.url, { path: "/" })).status).toBe(200);
  });
});

describe("a certificate", () => {
  let world: WebWorld;
  let folder: string;
  let adapter: KeptAdapter | null;
  beforeEach(async () => {
    world = await WebWorld.open();
    folder = mkdtempSync(join(tmpdir(), "baton-tls-"));
    adapter = null;
  });
  afterEach(async () => {
    await adapter?.disconnect();
    await world.close();
    rmSync(folder, { recursive: true });
  });

  const serve = async (tls: typeof TLS, headMs?: number): Promise<void> => {
    adapter = new KeptAdapter(world.adapter({ tls, ...(headMs === undefined ? {} : { headMs }) }));
    await adapter.connect(async () => "accepted");
  };
  const fileWith = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  /** The page is not served, and somebody is told which settings to look at. */
  const refused = async (tls: typeof TLS, named: string): Promise<void> => {
    const error: unknown = await serve(tls).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({ outcome: "retryable" });
    expect((error as ConnectError).message).toContain(named);
    expect((error as ConnectError).message).toMatch(/ Check the files in web\.tls\.$/);
    expect(world.url).toBeNull();
  };

  test("that is not there is named, and its key too", async () => {
    const missing = join(folder, "missing.pem");
    await refused({ ...TLS, certFile: missing }, `Baton can't read ${missing} (ENOENT).`);
    await refused({ ...TLS, keyFile: missing }, `Baton can't read ${missing} (ENOENT).`);
  });

  test("that can't be read is named", async () => {
    await refused({ ...TLS, keyFile: folder }, `Baton can't read ${folder} (EISDIR).`);
  });

  test.each([
    ["is empty", ""],
    ["is no PEM", "-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n"],
    ["is of another key", OTHER_KEY],
  ])("whose key file %s is named", async (_, text) => {
    const keyFile = fileWith("key.pem", text);
    await refused({ ...TLS, keyFile }, `${PEM} and ${keyFile} are not a certificate and its key as PEM (`);
  });

  test("that is renewed is read when the page is served again", async () => {
    const certFile = fileWith("cert.pem", "being written");
    await refused({ ...TLS, certFile }, certFile);
    writeFileSync(certFile, readFileSync(PEM));
    await adapter?.connect(async () => "accepted");
    expect((await webCall(world.url ?? "", { path: "/" })).status).toBe(200);
  });

  test("gives nobody more time for the handshake than for a head", async () => {
    await serve(TLS, 200);
    const silent = connect(Number(new URL(world.url ?? "").port), "127.0.0.1").resume();
    silent.on("error", () => {}); // It is ended from the other side.
    await once(silent, "close");
  });
});
