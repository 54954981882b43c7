/**
 * The gateway as a service of a real systemd: `systemctl --user restart` ends the gateway and what belongs to it, and keeps
 * the background processes, because their host has a scope of its own. Without such a scope they end, and Baton says so.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeHome } from "../support/baton.js";
import { TelegramServer } from "../support/telegram-server.js";
import { noUserManager, type UserManager, userManager } from "../support/user-manager.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const OWNER = "100001";
const PATIENCE = { timeout: 60_000, interval: 50 };

/** Quiet, chatty, interactive, deaf to TERM, forking twice, and one that ends while no gateway runs. */
const COMMANDS = [
  "sleep 600",
  "while :; do echo tick; sleep 0.1; done",
  'while read -r line; do echo "got $line"; done',
  "trap '' TERM; while :; do sleep 1; done",
  "(sleep 600 & sleep 600) & wait",
  "while [ ! -e go ]; do sleep 0.05; done; echo gone; exit 7",
  "exec tail -f /dev/null",
  "cat",
  "nice sleep 600",
  "printf x; sleep 600",
];

interface Shown {
  readonly id: string;
  readonly command: string;
  readonly state: string;
  readonly pid: number | null;
  readonly end: { readonly kind: string; readonly code?: number } | null;
}

const reason = noUserManager();
if (reason) console.warn(`NOT TESTED: a service of a real systemd, because ${reason}.`);

describe.skipIf(reason !== null)("the gateway as a service of a real systemd", () => {
  let home: string;
  let manager: UserManager;
  let telegram: TelegramServer;

  beforeEach(async () => {
    home = makeHome();
    telegram = await TelegramServer.start();
    const work = join(home, "..", "work");
    const settings = {
      agent: { provider: "offline", workdir: work },
      busy: { default: "queue", momentSeconds: 0 },
      tools: { terminal: { sandbox: "off" } },
      people: { owners: { telegram: [OWNER] } },
      platforms: { telegram: { baseUrl: telegram.url, token: { file: "token" } } },
    };
    writeFileSync(join(home, "config.yaml"), JSON.stringify(settings), { mode: 0o600 });
    writeFileSync(join(home, "token"), telegram.token, { mode: 0o600 });
    manager = await userManager(join(home, ".."));
  });
  afterEach(async () => {
    await manager.close();
    await telegram.close();
  });

  const run = (words: readonly string[], path = process.env.PATH ?? "") =>
    manager.run([process.execPath, MAIN, ...words], { BATON_HOME: home, PATH: path });
  const systemctl = async (...words: string[]) => {
    const { code, stdout, stderr } = await manager.run(["systemctl", "--user", ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.trim();
  };
  const gatewayPid = () => systemctl("show", "--value", "--property=MainPID", "baton");
  const list = async (): Promise<Shown[]> => {
    const { stdout, stderr } = await run(["processes", "list", "--json"]);
    expect(stderr).toBe("");
    return JSON.parse(stdout).processes;
  };
  const isUp = async () => (await run(["gateway", "status"])).code === 0;

  const startedIds = () =>
    new Set(telegram.sent.flatMap(({ text }) => /in the background as (p_\w+)/.exec(text)?.[1] ?? []));

  /** Installs the service as a person would, and has the agent start these. */
  async function startAll(commands: readonly string[], path?: string): Promise<Shown[]> {
    const installed = await run(["service", "install"], path);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain("The service is installed and started.");
    for (const command of commands) {
      await telegram.inject({ chatId: OWNER, fromId: Number(OWNER), text: `background ${command}` });
    }
    // Only then somebody looks: who looks while the first process is being started may start the host, too.
    await vi.waitUntil(() => startedIds().size === commands.length, PATIENCE);
    return list();
  }

  test("a restart keeps all ten processes", async () => {
    const before = await startAll(COMMANDS);
    const scopes = await systemctl("list-units", "--plain", "--no-legend", "baton-processes-*.scope");
    expect(scopes).toMatch(/^baton-processes-\S+\.scope +loaded active running/);
    const first = await gatewayPid();

    await systemctl("restart", "baton");
    await vi.waitUntil(isUp, PATIENCE);
    expect(await gatewayPid()).not.toBe(first);
    expect(await list()).toMatchObject(before.map(({ id, pid }) => ({ id, pid, state: "running" })));

    await systemctl("stop", "baton");
    writeFileSync(join(home, "..", "work", "go"), "");
    await systemctl("start", "baton");
    const ending = before.find(({ command }) => command.includes("exit 7"));
    await vi.waitUntil(async () => (await list()).some(({ end }) => end !== null), PATIENCE);
    for (const process of await list()) {
      if (process.id === ending?.id) expect(process).toMatchObject({ end: { kind: "exited", code: 7 } });
      else expect(process).toMatchObject({ state: "running", end: null });
    }
    const interactive = before.find(({ command }) => command.includes("got"))?.id ?? "";
    expect((await run(["processes", "write", interactive, "hello"])).code).toBe(0);
    await vi.waitUntil(
      async () => (await run(["processes", "logs", interactive])).stdout === "got hello\n",
      PATIENCE,
    );
  });

  test("without a scope they end with the service, and the doctor says so before", async () => {
    const bin = join(home, "..", "bin");
    mkdirSync(bin);
    for (const name of ["sh", "sleep", "systemctl"]) symlinkSync(`/usr/bin/${name}`, join(bin, name));
    const [before] = await startAll(["sleep 600"], bin);
    const { stdout } = await run(["doctor", "--json"]);
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({
        check: "processes",
        status: "warning",
        finding: expect.stringMatching(/^1 process runs; processes end with the /),
      }),
    );
    await systemctl("restart", "baton");
    await vi.waitUntil(async () => (await list())[0]?.end !== null, PATIENCE);
    expect(await list()).toMatchObject([{ id: before?.id, state: "ended" }]);
  });
});
