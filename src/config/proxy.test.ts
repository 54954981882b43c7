import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeHome } from "../../test/support/baton.js";
import { readEnvironment } from "./environment.js";
import { loadConfig } from "./load.js";
import { proxiesOf } from "./proxy.js";

async function proxiesWith(variables: Record<string, string>, file = "") {
  const home = makeHome();
  if (file) writeFileSync(join(home, "config.yaml"), file);
  const environment = readEnvironment({ BATON_HOME: home, ...variables });
  const { proxy } = await loadConfig(environment, "/");
  return { ...proxiesOf(proxy, environment.proxies), shown: proxy?.shown };
}

it("takes the usual variables, in either case", async () => {
  const variables = { HTTPS_PROXY: "http://a:1", http_proxy: "b:2", NO_PROXY: "c.test, .d.test" };
  expect(await proxiesWith(variables)).toMatchObject({
    https: "http://a:1",
    http: "http://b:2",
    direct: ["c.test", ".d.test"],
  });
});

it("has none without any", async () => {
  expect(await proxiesWith({ HTTPS_PROXY: "" })).toMatchObject({ https: null, http: null, direct: [] });
});

it("prefers the setting, and shows no password", async () => {
  const variables = { HTTPS_PROXY: "http://a:1", NO_PROXY: "c.test" };
  const set = { https: "http://proxy.test:3128", http: "http://proxy.test:3128", direct: ["c.test"] };
  expect(await proxiesWith(variables, "proxy: http://proxy.test:3128")).toMatchObject(set);
  const url = "http://me:pass@proxy.test:3128";
  expect(await proxiesWith({ BATON_PROXY: url })).toMatchObject({
    https: url,
    shown: "http://me:***@proxy.test:3128",
  });
});

it("refuses a password in the open, and what is no HTTP proxy", async () => {
  await expect(proxiesWith({}, "proxy: http://me:pass@proxy.test")).rejects.toThrow(
    "do not write a password",
  );
  await expect(proxiesWith({}, "proxy: socks5://proxy.test")).rejects.toThrow("HTTP proxy");
  await expect(proxiesWith({ HTTPS_PROXY: "socks5://proxy.test" })).rejects.toThrow(
    "HTTPS_PROXY is not the address of an HTTP proxy. Write one such as http://proxy.example:3128, or unset it.",
  );
});
