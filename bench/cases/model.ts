/**
 * What Baton adds to a model: a whole run of `baton chat --message hi` beside a whole run of Node that makes the same
 * exchange by itself, and the first word through a gateway that runs beside the first word of the raw stream. The model
 * is a server on loopback that answers at once.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { interleave } from "../measure.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const run = promisify(execFile);
const SERVER = fileURLToPath(new URL("./model-server-child.ts", import.meta.url));
const CHILD = fileURLToPath(new URL("./model-child.mjs", import.meta.url));
const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

const BARE = `
const response = await fetch(process.argv[1] + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] }),
});
for await (const chunk of response.body) process.stdout.write(chunk);
`;

export async function model({ stores, sizes, rounds }: Bench): Promise<Outcome> {
  const server = spawn(process.execPath, ["--import", "tsx", SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  const home = await mkdtemp(join(tmpdir(), "baton-bench-home-"));
  try {
    const baseUrl = await firstLine(server.stdout);
    const env = {
      PATH: process.env.PATH,
      BATON_HOME: home,
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: baseUrl,
    };
    const [whole = Number.NaN, bare = Number.NaN] = await interleave(
      [
        () => run(process.execPath, [MAIN, "chat", "--message", "hi"], { env }),
        () => run(process.execPath, ["--input-type=module", "-e", BARE, baseUrl]),
      ],
      rounds,
      sizes.modelRuns,
    );
    const asked = { url: await stores.withSessions(0), baseUrl, times: sizes.modelWords };
    const { stdout } = await run(process.execPath, [CHILD, JSON.stringify(asked)]);
    const first = JSON.parse(stdout) as { ours: number; bare: number };
    return {
      lines: [
        { what: "baton chat --message hi, a model that answers at once", ours: whole, raw: bare, unit: "ms" },
        {
          what: "a model's first word, message in to word shown",
          ours: first.ours,
          raw: first.bare,
          unit: "ms",
        },
      ],
      targets: [
        {
          what: "baton chat --message hi, over the bare exchange",
          value: whole - bare,
          atMost: 250,
          unit: "ms",
        },
        {
          what: "a model's first word, over the raw stream",
          value: first.ours - first.bare,
          atMost: 20,
          unit: "ms",
        },
      ],
    };
  } finally {
    server.stdin.end();
    await rm(home, { recursive: true, force: true });
  }
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface(stream)) return line;
  throw new Error("The model's server did not start.");
}
