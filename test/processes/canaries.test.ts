/**
 * What a command in the background can see of Baton's secrets, in the ways that others learnt of the hard way: its own
 * environment, that of every process of this user, descriptors that it inherited, words of command lines, and what Baton
 * leaves in files. With a sandbox and without, with pipes and with a terminal, here, on another machine and in a container.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { processFolder } from "../../src/process/places.js";
import type { ProcessId } from "../../src/session/ids.js";
import { baton, makeHome } from "../support/baton.js";
import { type ModelGateway, OWNER, openModelGateway } from "../support/model-gateway.js";
import { openPodman } from "../support/podman.js";
import { endHost, helloOf } from "../support/process-host.js";
import { startSshd, whyNoSshd } from "../support/ssh-server.js";

const CANARY = `canary-secret-${randomBytes(8).toString("hex")}`;

/** The canary is in no command line or file of the test itself, only in Baton's. */
const LOOK = `
for p in /proc/[0-9]*; do
  case $(tr '\\0' ' ' < $p/cmdline 2>/dev/null) in *"$BATON_ROOT"*|*process-host*|*main.js*) ;; *) [ "$p" = /proc/$$ ] || continue ;; esac
  echo "== $p"; cat $p/environ $p/cmdline 2>/dev/null | tr '\\0' '\\n'
done > seen
env >> seen
for f in /proc/$$/fd/*; do readlink "$f"; done > descriptors
echo whole >> seen
`;

const homes: string[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) await endHost(home);
});

it.each(["auto", "off"])(
  "a secret is nowhere that a command in the background looks; sandbox: %s",
  async (sandbox) => {
    const home = makeHome();
    homes.push(home);
    const work = join(home, "../work");
    writeFileSync(join(work, "look.sh"), LOOK);
    writeFileSync(
      join(home, "key"),
      `${CANARY}
`,
      { mode: 0o600 },
    );
    const config = `agent:
  provider: offline
  apiKey: { file: ${join(home, "key")} }
`;
    writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
    const env = {
      OPENAI_API_KEY: CANARY,
      TELEGRAM_BOT_TOKEN: CANARY,
      BATON_SOME_SECRET: CANARY,
      SOMETHING_ELSE: CANARY,
      BATON_TOOLS_TERMINAL_SANDBOX: sandbox,
    };
    const run = await baton(home, ["chat", "--message", "background sh look.sh"], { env });
    expect(run.stdout).toContain("Started in the background as p_");
    const seenFile = join(work, "seen");
    await expect.poll(() => existsSync(seenFile) && readFileSync(seenFile, "utf8")).toMatch(/whole\n$/);
    const seen = readFileSync(seenFile, "utf8");
    if (sandbox === "off") expect(seen).toContain("process-host"); // It did see the host.
    expect(seen).toContain("PATH=");
    expect(seen).not.toContain(CANARY);
    // Its input, its output, and the script itself.
    const descriptors = readFileSync(join(work, "descriptors"), "utf8").trim().split("\n");
    const strange = descriptors.filter(
      (one) => !/^(?:socket:|\/dev\/null$|.*\.out$|.*\/look\.sh$|.*\/descriptors$)/.test(one),
    );
    expect(strange).toEqual([]);
    expect(descriptors.filter((one) => one.startsWith("socket:")).length).toBeLessThan(2);
  },
);

/**
 * The processes of Baton, the clients that reach other places, and itself. It reports nothing of other processes: they may
 * have secrets of their own.
 */
const LOOK_AROUND = `
for p in /proc/[0-9]*; do
  case $(tr '\\0' ' ' < $p/cmdline 2>/dev/null) in
    *process-host*|*main.js*|ssh*|*podman*|*conmon*|*look-around*) ;; *) continue ;;
  esac
  echo "== $p"; { tr '\\0' '\\n' < $p/environ; tr '\\0' '\\n' < $p/cmdline; } 2>/dev/null
done
env
echo "== descriptors"; for f in /proc/$$/fd/*; do readlink "$f"; done
echo whole; read -r go`;

/** What the process host and the clients that it starts are given; an engine may have its own. */
const NEEDED = new Set(["PATH", "HOME", "TERM", "PWD", "SHLVL", "_", "BATON_RUN", "CONTAINERS_CONF"]);

const noSshd = whyNoSshd();
const podman = openPodman();
if (noSshd !== null) console.warn(`NOT TESTED: secrets on another machine, because ${noSshd}`);
if (typeof podman === "string") console.warn(`NOT TESTED: secrets in a container, because ${podman}`);

describe.runIf(process.platform === "linux")("a secret of a gateway that runs", () => {
  const cleanUps: (() => void)[] = [];
  const folder = mkdtempSync(join(tmpdir(), "baton-canary-"));
  let gateway: ModelGateway;

  beforeAll(async () => {
    const server = noSshd === null ? await startSshd() : null;
    cleanUps.push(() => server?.close());
    const ssh = server && { kind: "ssh", host: "there", configFile: server.configFile };
    const container = typeof podman === "string" ? null : { kind: "docker", image: podman.image };
    const limits = { memory: "256m", network: "none" };
    const secret = openSync(join(folder, "secret"), "w+", 0o600);
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    gateway = await openModelGateway({
      key: CANARY,
      descriptor: secret,
      environment: {
        ...{ OPENROUTER_API_KEY: CANARY, AWS_SECRET_ACCESS_KEY: CANARY, DISCORD_BOT_TOKEN: CANARY },
        ...{ BATON_SOME_SECRET: CANARY, SOMETHING_ELSE: CANARY, SSH_ASKPASS: CANARY },
      },
      settings: (work) => {
        const box = { ...limits, program: join(work, "engine"), mounts: [`${work}:/work:ro`] };
        const environments = {
          ...(ssh && { there: { ...ssh, workdir: work } }),
          ...(container && { box: { ...container, ...box, workdir: "/work" } }),
        };
        return { environments };
      },
    });
    closeSync(secret);
    writeFileSync(join(gateway.work, "look-around.sh"), LOOK_AROUND);
    if (typeof podman === "string") return;
    cleanUps.push(() => podman.close());
    const { HOME, CONTAINERS_CONF } = podman.variables;
    const engine = `#!/bin/sh\nHOME=${HOME} CONTAINERS_CONF=${CONTAINERS_CONF} exec ${podman.program} "$@"\n`;
    writeFileSync(join(gateway.work, "engine"), engine);
    chmodSync(join(gateway.work, "engine"), 0o755);
  });
  afterAll(async () => {
    await gateway.close();
    for (const cleanUp of cleanUps) cleanUp();
  });

  const PLACES = [
    { where: "here", environment: "local", sees: ["process-host.js", "main.js\ngateway"] },
    ...(noSshd === null
      ? [
          {
            where: "on another machine",
            environment: "there",
            sees: ["process-host.js", "\nControlMaster=auto"],
          },
        ]
      : []),
    ...(typeof podman === "string" ? [] : [{ where: "in a container", environment: "box", sees: [] }]),
  ];
  const CASES = PLACES.flatMap((place) => [
    [`${place.where}, with pipes`, { ...place, pty: false }] as const,
    [`${place.where}, with a terminal`, { ...place, pty: true }] as const,
  ]);

  it.each(CASES)("is nowhere that a command looks %s", async (_, { environment, pty, sees }) => {
    const { host, telegram, told, write } = gateway;
    const before = told(OWNER).length;
    await write(OWNER, `start ${JSON.stringify({ command: "sh look-around.sh", environment, pty })}`);
    await telegram.until(() => told(OWNER).length > before);
    const id = /p_[0-9a-f]{10}/.exec(told(OWNER)[before] ?? "")?.[0] as ProcessId;
    const output = async () => (await host.outputOf(id)).replaceAll("\r", "");
    await expect.poll(async () => (await output()).endsWith("\nwhole\n")).toBe(true);
    const seen = await output();
    for (const text of ["PATH=", "look-around.sh", ...sees]) expect(seen.includes(text)).toBe(true);
    expect(tracesIn(seen)).toEqual([]);

    const descriptors = seen.split("== descriptors\n")[1]?.trim().split("\n").slice(0, -1) ?? [];
    const own = pty
      ? /^(?:\/dev\/pts\/\d+|.*\/look-around\.sh)$/
      : /^(?:socket:.*|pipe:.*|.*\/p_\w+\.out|.*\/look-around\.sh)$/;
    expect(descriptors.filter((one) => !own.test(one))).toEqual([]);
    expect(new Set(descriptors).size).toBeLessThanOrEqual(3);

    const { pid } = await helloOf(host.client);
    const names = [pid, ...childrenOf(pid)].flatMap(variablesOf);
    expect(names.filter((name) => !NEEDED.has(name))).toEqual([]);
    expect(holdersOf(join(folder, "secret"))).toEqual([gateway.pid]);
    await host.client.request("write", { id, text: "go\n" });
    expect((await host.ended(id)).end).toMatchObject({ code: 0 });
  });

  it("is in no file of its home folder", () => {
    const files = readdirSync(gateway.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.filter((file) => file.startsWith(processFolder(gateway.home))).length).toBeGreaterThan(3);
    expect(files.filter((file) => readFileSync(file, "latin1").includes(CANARY))).toEqual([]);
  });
});

/** Nothing else of it is shown if the test fails. */
function tracesIn(text: string): string[] {
  return text.split("\n").filter((line) => line.includes(CANARY));
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

/** The processes that have a file open. */
function holdersOf(file: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => descriptorsOf(pid).includes(file)).map(Number);
}

function descriptorsOf(pid: string): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((number) => readlinkSync(join(folder, number)));
  } catch {
    return []; // It has just ended, or is not ours.
  }
}

/** The names of what it was started with. */
function variablesOf(pid: number): string[] {
  const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  return variables.map((variable) => variable.replace(/=.*/s, "")).sort();
}
