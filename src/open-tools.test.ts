/** The wall around commands, as the configuration asks for it, and what the doctor says of it. */
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { aCall } from "../test/support/a-call.js";
import { readEnvironment } from "./config/environment.js";
import { loadConfig } from "./config/load.js";
import { openTools, sandboxFindings } from "./open-tools.js";
import { privateFolder } from "./process/places.js";
import { makeFolder } from "./util/make-folder.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "baton-open-tools-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function configWith(store: string, sandbox: "auto" | "required", workdir = root) {
  const variables = {
    BATON_HOME: join(root, "none"),
    BATON_AGENT_WORKDIR: workdir,
    BATON_STORE: store,
    BATON_TOOLS_TERMINAL_SANDBOX: sandbox,
  };
  return loadConfig(readEnvironment(variables), root);
}

async function findingWith(store: string): Promise<string | undefined> {
  const findings = await sandboxFindings(await configWith(store, "required"));
  const { finding } = findings.find(({ check }) => check === "sandbox") ?? {};
  return finding;
}

it("a database right in the working folder keeps commands from being run, also where no sandbox is required", async () => {
  const outcome = async (store: string) => {
    const tools = await openTools(await configWith(store, "auto"));
    const { signal } = new AbortController();
    return tools
      .find(({ name }) => name === "terminal")
      ?.run({ command: "echo well" }, { call: aCall, signal });
  };
  expect(await outcome("/nonexistent/baton.db")).toContain("well");
  if (!(await findingWith("/nonexistent/baton.db"))?.startsWith("commands run in")) return; // There is no sandbox here.
  expect(await outcome(join(root, "baton.db"))).toMatch(/not run: .*baton\.db is directly in .*Move it/);
});

it("the folder of sockets is hidden, also if it is in a working folder", async () => {
  const folder = privateFolder();
  const socket = join(folder, `test-${process.pid}.sock`);
  const server = createServer().listen(socket);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const config = await configWith("/nonexistent/baton.db", "auto", dirname(folder));
  const look = async (command: string) =>
    (await openTools(config))
      .find(({ name }) => name === "terminal")
      ?.run({ command }, { call: aCall, signal: new AbortController().signal });
  if (!(await findingWith("/nonexistent/baton.db"))?.startsWith("commands run in")) return; // There is no sandbox here.
  expect(await look(`ls ${dirname(folder)}; echo looked`)).toMatch(
    new RegExp(`${basename(folder)}\\n[^]*looked`),
  );
  expect(await look(`ls ${folder}; echo looked`)).not.toContain(basename(socket));
});

it("what commands left in /tmp two days ago is gone", async () => {
  const temporary = join(root, "none/sandbox/tmp");
  makeFolder(temporary);
  writeFileSync(join(temporary, "left"), "");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 24 * 60 * 60 * 1_000 });
  onTestFinished(() => void vi.useRealTimers());
  await openTools(await configWith("/nonexistent/baton.db", "auto"));
  if (!(await findingWith("/nonexistent/baton.db"))?.startsWith("commands run in")) return; // There is no sandbox here.
  expect(readdirSync(temporary)).not.toContain("left"); // Folders that are shown below /tmp have their place there.
});

it("a database right in the working folder is told, there or not", async () => {
  const elsewhere = await findingWith("/nonexistent/baton.db");
  expect(elsewhere).not.toContain("baton.db");
  if (!elsewhere?.startsWith("commands run in")) return; // There is no sandbox here, and it says so.
  expect(await findingWith(join(root, "baton.db"))).toMatch(/baton\.db is directly in a working folder/);
});
