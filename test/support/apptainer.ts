/**
 * Apptainer, if there is one; else a stand-in that takes the same command line and enters the image. The
 * stand-in checks the command line that Baton makes, not Apptainer.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeRoot } from "./podman.js";

export interface Apptainer {
  readonly program: string;
  readonly image: string;
  /** A folder of this machine, for a mount. */
  readonly folder: string;
  close(): void;
}

/** As `apptainer exec` has it: its options, the image, the command. Anything else is refused. */
const STAND_IN = `#!/bin/bash
[ "$1 $2 $3 $4 $5 $6 $7" = "--silent exec --containall --no-home --no-privs --pwd /" ] || { echo "stand-in: unknown: $*"; exit 255; }
shift 7
binds=()
vars=(PATH=/bin HOME=/root)
while [ "$1" = --bind ] || [ "$1" = --env ]; do
  if [ "$1" = --bind ]; then binds+=("$2"); else vars+=("$2"); fi
  shift 2
done
mounts='mount --rbind "$0" "$0" && mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs none "$0/tmp" || exit 255
until [ "$1" = -- ]; do mkdir -p "$0/\${1#*:}" && mount --bind "\${1%%:*}" "$0/\${1#*:}" || exit 255; shift; done
cd / && shift && exec env -i "$@"'
image=$1
shift
exec unshare -Urm --propagation private /bin/bash -c "$mounts" "$image" "\${binds[@]}" -- "\${vars[@]}" /usr/sbin/chroot "$image" "$@"
`;

export function openApptainer(): Apptainer | string {
  if (!existsSync("/bin/busybox")) return "/bin/busybox is not installed";
  const real = process.env.BATON_TEST_APPTAINER;
  if (real === undefined && spawnSync("unshare", ["-Urm", "true"]).status !== 0) {
    return "this user may not make namespaces";
  }
  const root = mkdtempSync(join(tmpdir(), "baton-apptainer-"));
  const [image, folder, standIn] = [join(root, "image"), join(root, "work"), join(root, "apptainer")];
  makeRoot(image);
  mkdirSync(folder);
  writeFileSync(standIn, STAND_IN);
  chmodSync(standIn, 0o755);
  const close = () => rmSync(root, { recursive: true, force: true });
  if (real === undefined) console.warn("NOT TESTED with a real apptainer: a stand-in takes its place");
  else execFileSync(real, ["--version"]);
  return { program: real ?? standIn, image, folder, close };
}
