/**
 * How long `baton gateway` takes until it says that it runs, beside a Node.js that does nothing. What a platform's own
 * library costs is left out: the compiled program is copied, with an adapter that reaches nobody in place of all others.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "../measure.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** In place of open-platforms.js. */
const NO_PLATFORM = `
const capabilities = { maxText: 4_096, unit: "utf16", edit: false, threads: false };
const adapter = {
  platform: "telegram",
  account: "none",
  capabilities,
  serve: async ({ up, end }) => {
    up({ send: async () => ({ messageId: "1" }) });
    await new Promise((resolve) => end.addEventListener("abort", resolve));
  },
};
export const openPlatforms = async () => ({ adapters: [adapter], problems: [] });
`;

export async function start({ folder: root, sizes }: Bench): Promise<Outcome> {
  const folder = await mkdtemp(join(root, "start-"));
  const home = join(folder, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), "timezone: UTC\n", { mode: 0o600 });
  await cp(join(ROOT, "dist"), join(folder, "dist"), { recursive: true });
  await cp(join(ROOT, "package.json"), join(folder, "package.json"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "dist", "open-platforms.js"), NO_PLATFORM);

  const main = join(folder, "dist", "main.js");
  await untilItRuns(main, home); // Makes the store, and warms the disk's cache.
  const ours: number[] = [];
  const bare: number[] = [];
  for (let time = 0; time < sizes.starts; time++) {
    bare.push(await untilItEnds());
    ours.push(await untilItRuns(main, home));
  }
  return {
    lines: [
      {
        what: "start of baton gateway; raw: node -e 0",
        ours: median(ours),
        raw: median(bare),
        unit: "ms",
      },
    ],
    targets: [
      {
        what: "start of baton gateway without a platform, over node -e 0",
        value: median(ours) - median(bare),
        atMost: 400,
        unit: "ms",
      },
    ],
  };
}

async function untilItEnds(): Promise<number> {
  const began = performance.now();
  await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
  return performance.now() - began;
}

async function untilItRuns(main: string, home: string): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [main, "gateway"], {
    cwd: home,
    env: { PATH: process.env.PATH, BATON_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let said = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    said += text;
    if (said.includes("The gateway is running")) break;
  }
  const took = performance.now() - began;
  if (child.exitCode !== null) throw new Error(`baton gateway ended: ${said}`);
  child.kill("SIGTERM");
  await ended;
  return took;
}
