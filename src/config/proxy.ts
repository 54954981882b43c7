/** The proxy for outgoing connections. Its address may hold a password, so it is a secret. */

import { InputError } from "../session/errors.js";
import { parsedUrl } from "../util/parsed-url.js";
import { Secret, SecretFile } from "../util/secret.js";
import type { Setting } from "../util/setting.js";
import { pathFrom } from "./paths.js";
import { readSecretFile, withoutPassword } from "./secret.js";

const PROXY = "give the address of an HTTP proxy, such as http://proxy.example:3128, or { file: <path> }";
const PASSWORD =
  "do not write a password into this file. Put the address into a file of its own (chmod 600) and write " +
  "`proxy: { file: <path> }`, or set BATON_PROXY";

export const proxySetting: Setting<Secret | null> = {
  description:
    "The address of an HTTP proxy for outgoing connections to platforms, models and MCP servers, such as `http://proxy.example:3128`, or a file with it. Addresses of this machine and the hosts in `NO_PROXY` are reached directly.",
  fallback: "`HTTPS_PROXY` and `HTTP_PROXY`",
  takes: {
    is: "either",
    of: [
      {
        is: "text",
        error: PROXY,
        refuse: (url) =>
          withoutPassword(url) !== url ? PASSWORD : proxyAddress(url) === null ? PROXY : null,
      },
      { is: "secret" },
    ],
    error: PROXY,
  },
  resolve: (written: string | SecretFile, folder) => {
    if (!(written instanceof SecretFile)) return new Secret(withoutPassword(written), () => written);
    const path = pathFrom(folder, written.path);
    return new Secret(`{ file: ${path} }`, () => readSecretFile(path), path);
  },
};

/** What other programs know too, in capitals or small letters. */
export interface ProxyVariables {
  readonly https: string | null;
  readonly http: string | null;
  readonly direct: readonly string[];
}

/** An empty variable counts as absent. */
export function readProxyVariables(variables: Readonly<NodeJS.ProcessEnv>): ProxyVariables {
  const named = (name: string) => variables[name.toLowerCase()]?.trim() || variables[name]?.trim() || null;
  return {
    https: named("HTTPS_PROXY"),
    http: named("HTTP_PROXY"),
    direct: (named("NO_PROXY") ?? "").split(/[\s,]/).filter((name) => name !== ""),
  };
}

/** The setting counts for every connection; without it, the variables do. */
export function proxiesOf(setting: Secret | null, { https, http, direct }: ProxyVariables): ProxyVariables {
  const all = setting ? checked("proxy", setting.reveal()) : null;
  return {
    https: all ?? checked("HTTPS_PROXY", https),
    http: all ?? checked("HTTP_PROXY", http),
    direct,
  };
}

/** Going directly instead would show an address that somebody wants to hide: it is refused. */
function checked(name: string, written: string | null): string | null {
  if (written === null) return null;
  const address = proxyAddress(written);
  if (address === null)
    throw new InputError(
      "invalid_config",
      `${name} is not the address of an HTTP proxy. Write one such as http://proxy.example:3128, or unset it.`,
    );
  return address;
}

/** `proxy:3128` is one too; null for what is no HTTP proxy. */
function proxyAddress(written: string): string | null {
  const url = written.includes("://") ? written : `http://${written}`;
  return /^https?:\/\//i.test(url) && parsedUrl(url) ? url : null;
}
