/** What the doctor says of the wall around commands. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readEnvironment } from "./config/environment.js";
import { loadConfig } from "./config/load.js";
import { sandboxFindings } from "./open-tools.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "baton-open-tools-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function findingWith(store: string): Promise<string | undefined> {
  const variables = {
    BATON_HOME: join(root, "none"),
    BATON_AGENT_WORKDIR: root,
    BATON_STORE: store,
    BATON_TOOLS_TERMINAL_SANDBOX: "required",
  };
  const findings = await sandboxFindings(await loadConfig(readEnvironment(variables), root));
  const { finding } = findings.find(({ check }) => check === "sandbox") ?? {};
  return finding;
}

it("a database right in the working folder is told, there or not", async () => {
  const elsewhere = await findingWith("/nonexistent/baton.db");
  expect(elsewhere).not.toContain("baton.db");
  if (!elsewhere?.startsWith("commands run in")) return; // There is no sandbox here, and it says so.
  expect(await findingWith(join(root, "baton.db"))).toMatch(/baton\.db lies right in a working folder/);
});
