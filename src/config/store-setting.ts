/** Where conversations are kept. The URL of a server may hold a password, so it is a secret. */
import { Secret, SecretFile } from "../util/secret.js";
import type { Setting } from "../util/setting.js";
import { pathFrom, storeUrlFrom } from "./paths.js";
import { readSecretFile, withoutPassword } from "./secret.js";

const STORE = "give a path, sqlite:<path>, postgres://… or { file: <path> }";
const PASSWORD =
  "do not write a password into this file. Put the URL into a file of its own (chmod 600) and write " +
  "`store: { file: <path> }`, or set BATON_STORE";

export const storeSetting: Setting<Secret | null> = {
  description:
    "Where Baton keeps conversations: a path, `sqlite:<path>`, `postgres://…`, or a file with such a URL.",
  fallback: "`<home>/baton.db`",
  takes: {
    is: "either",
    of: [
      {
        is: "text",
        error: STORE,
        refuse: (url) => (withoutPassword(url) === url ? null : PASSWORD),
      },
      { is: "secret" },
    ],
    error: STORE,
  },
  resolve: storeAt,
};

export function storeAt(written: string | SecretFile, folder: string): Secret {
  if (written instanceof SecretFile) {
    const path = pathFrom(folder, written.path);
    return new Secret(`{ file: ${path} }`, () => storeUrlFrom(folder, readSecretFile(path)), path);
  }
  const url = storeUrlFrom(folder, written);
  return new Secret(withoutPassword(url), () => url);
}
