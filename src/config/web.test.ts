import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readEnvironment } from "./environment.js";
import { loadConfig } from "./load.js";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "baton-web-config-"));
  mkdirSync(join(home, "project"));
});

afterEach(() => rmSync(home, { recursive: true }));

async function load(file: string, variables: Record<string, string> = {}) {
  writeFileSync(join(home, "config.yaml"), file);
  const { web } = await loadConfig(
    readEnvironment({ BATON_HOME: home, ...variables }),
    join(home, "project"),
  );
  return web;
}

const refusal = (file: string, variables: Record<string, string> = {}): Promise<string> =>
  load(file, variables).then(
    () => expect.unreachable("it was accepted"),
    (error: Error) => error.message.replaceAll(home, ""),
  );

test("without settings, nothing is served, and only this machine could reach it", async () => {
  expect(await load("")).toEqual({
    enabled: false,
    host: "127.0.0.1",
    port: 22866,
    publicUrl: null,
    tls: { certFile: null, keyFile: null },
    trustedHeader: { name: null, proxies: [] },
  });
});

test("variables set it too", async () => {
  const web = await load("", { BATON_WEB_ENABLED: "true", BATON_WEB_PORT: "9000" });
  expect(web).toMatchObject({ enabled: true, port: 9000 });
});

test.each(["127.0.0.1", "127.0.0.2", "::1", "localhost"])("%s is this machine", async (host) => {
  expect((await load(`web: { host: "${host}" }`)).host).toBe(host);
});

test.each(["0.0.0.0", "::", "192.168.1.7", "baton.lan"])("%s needs an address or TLS", async (host) => {
  const said = await refusal(`web: { host: "${host}" }`);
  expect(said).toBe(
    `/config.yaml:1: web.host: ${host} can be reached from other machines. Also set web.publicUrl to the https address of the proxy in front of it, or web.tls.certFile and web.tls.keyFile. For this machine alone, use 127.0.0.1.`,
  );
  expect(await refusal("", { BATON_WEB_HOST: host })).toContain("BATON_WEB_HOST: web.host: ");
  const fits = { publicUrl: "https://baton.example.org", host };
  expect(await load(`web: { host: "${host}", publicUrl: "https://Baton.example.org/" }`)).toMatchObject(fits);
  expect(await load(`web: { tls: { certFile: a, keyFile: ~/b } }`, { BATON_WEB_HOST: host })).toMatchObject({
    tls: { certFile: join(home, "a") },
  });
});

test.each([
  ["baton.example.org", "give the address of the page"],
  ["ftp://baton.example.org", "give the address of the page"],
  ["javascript:alert(1)", "give the address of the page"],
  ["https://baton.example.org/chat", "without a path"],
  ["https://baton.example.org/?a", "without a path"],
  ["https://me:secret@baton.example.org", "without a path"],
  ["http://baton.example.org", "use https"],
])("%s is no address of the page", async (address, why) => {
  expect(await refusal(`web: { publicUrl: "${address}" }`)).toContain(why);
});

test("http is enough for an address of this machine", async () => {
  const web = await load("web: { publicUrl: http://localhost:8080 }");
  expect(web.publicUrl).toBe("http://localhost:8080");
});

test.each([
  ["tls: { certFile: a }", "web.tls.certFile: also set web.tls.keyFile"],
  ["tls: { keyFile: a }", "web.tls.keyFile: also set web.tls.certFile"],
  ["trustedHeader: { name: Remote-User }", "also set web.trustedHeader.proxies"],
  ["trustedHeader: { proxies: [127.0.0.1] }", "also set web.trustedHeader.name"],
  ["trustedHeader: { name: Remote-User, proxies: [proxy.lan] }", "give an IP address"],
  ["trustedHeader: { name: 'Remote User', proxies: [127.0.0.1] }", "not the name of an HTTP header"],
  ["host: 127.0.0.1:80", "give an IP address or the name of a host, without a port"],
  ["port: 0", "use a port from 1 to 65535"],
])("%s is refused", async (written, why) => {
  expect(await refusal(`web: { ${written} }`)).toContain(why);
});
