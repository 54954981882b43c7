/** A process that left something behind which nothing ends: no real one can be made here, so the processes are a stand-in. */
import { expect, test, vi } from "vitest";
import type { ProcessEnd } from "../../process/process.js";
import type { Cli } from "../cli.js";
import { killProcess } from "./kill.js";

const id = "p_0123456789";
const end: ProcessEnd = { kind: "exited", code: 0, signal: null, by: "itself", leftBehind: true };
const seen = { kept: { id, end }, status: { id, end } };

function cliOver(killed: unknown) {
  const processes = {
    reconcile: async () => {},
    list: async () => [seen],
    kill: async () => killed,
  };
  const terminal = { line: vi.fn(), json: vi.fn(), progress: vi.fn() };
  const openProcesses = async () => ({ processes, close: async () => {} });
  return { terminal, cli: { terminal, loadConfig: async () => ({}), openProcesses } as unknown as Cli };
}

test.each([{}, { json: true }])(
  "it fails if something still runs, but says how the rest ended: %j",
  async (options) => {
    const { cli, terminal } = cliOver(seen);
    await expect(killProcess(cli, id, options)).rejects.toMatchObject({
      code: "still_running",
      exitCode: 1,
      message: `A program that ${id} started is still running after SIGKILL. Try again.`,
    });
    expect(options.json ? terminal.json : terminal.line).toHaveBeenCalledTimes(1);
  },
);

test("it succeeds if nothing runs any more", async () => {
  const over = { ...end, leftBehind: false };
  const { cli, terminal } = cliOver({ kept: { id, end: over }, status: { id, end: over } });
  await killProcess(cli, id, {});
  expect(terminal.line).toHaveBeenCalledWith(`Ended the programs that ${id} had left running.`);
});
