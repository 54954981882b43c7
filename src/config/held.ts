/** From what was written to what holds: defaults filled in, paths made absolute, secrets wrapped. */
import { Secret, SecretFile } from "../util/secret.js";
import type { Node, ValueOf } from "./groups.js";
import { pathFrom } from "./paths.js";
import { readSecretFile } from "./secret.js";

/** `folderOf` says where the relative paths of a key count from. */
export function held<N extends Node>(
  node: N,
  written: unknown,
  folderOf: (key: string) => string,
): ValueOf<N> {
  return valueAt(node, written, [], folderOf) as ValueOf<N>;
}

function valueAt(
  node: Node,
  written: unknown,
  path: readonly string[],
  folderOf: (key: string) => string,
): unknown {
  if ("children" in node) {
    const given = (written ?? {}) as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.entries(node.children()).map(([name, child]) => [
        name,
        valueAt(child, given[name], [...path, name], folderOf),
      ]),
    );
  }
  if ("each" in node) return written ?? {};
  if (written === undefined) return node.default ?? null;
  const folder = folderOf(path.join("."));
  if (node.resolve) return node.resolve(written as never, folder);
  return node.takes.is === "secret" ? secretOf(written as string | SecretFile, folder) : written;
}

/** A variable has the secret itself, a file only where it is. */
function secretOf(written: string | SecretFile, folder: string): Secret {
  if (!(written instanceof SecretFile)) return new Secret("***", () => written.trim());
  const path = pathFrom(folder, written.path);
  return new Secret(`{ file: ${path} }`, () => readSecretFile(path).trim(), path);
}
