// Compiles src/ to dist/ and bundles it (bundle.mjs) if a source is newer than the last build. Run by install, start, test and bench.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "dist", ".built");

function newestChange(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const changed = entry.isDirectory()
      ? Math.max(newestChange(path), statSync(path).mtimeMs)
      : statSync(path).mtimeMs;
    newest = Math.max(newest, changed);
  }
  return newest;
}

function upToDate() {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  const inputs = [
    "tsconfig.json",
    "tsconfig.build.json",
    "package.json",
    "scripts/bundle.mjs",
    "scripts/page.mjs",
  ].map((name) => statSync(join(root, name)).mtimeMs);
  return built > Math.max(newestChange(join(root, "src")), ...inputs);
}

/** A build that fails leaves the last good one in place. */
export async function build() {
  if (!existsSync(join(root, "src")) || upToDate()) return;
  const typescript = dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json"));
  const fresh = join(root, `dist.${process.pid}`);
  const started = new Date();
  try {
    const options = ["-p", join(root, "tsconfig.build.json"), "--outDir", fresh];
    const tsc = spawnSync(process.execPath, [join(typescript, "bin", "tsc"), ...options], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (tsc.status !== 0) throw new Error("The build failed; see the messages above.");
    await (await import("./bundle.mjs")).bundle(fresh);
    chmodSync(join(fresh, "main.js"), 0o755);
    writeFileSync(join(fresh, ".built"), "");
    utimesSync(join(fresh, ".built"), started, started);
    rmSync(join(root, "dist"), { recursive: true, force: true });
    renameSync(fresh, join(root, "dist"));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
