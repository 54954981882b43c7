/** What attach says when it is over and the host does not answer: the processes are a stand-in. */
import { expect, test, vi } from "vitest";
import type { ProcessEnd } from "../../process/process.js";
import type { Cli } from "../cli.js";
import { attachProcess } from "./attach.js";

vi.mock("./attach-lines.js", () => ({ attachLines: async () => {} }));

const id = "p_0123456789";
const ended: ProcessEnd = { kind: "exited", code: 3, signal: null, by: "itself", leftBehind: false };
const running = { kept: { id, end: null }, status: { id, end: null, pty: null } };

test.each([
  ["runs", running, `Detached from ${id}. It is still running.`],
  ["has ended", { ...running, status: { ...running.status, end: ended } }, `${id} exited with code 3.`],
  [
    "has ended, as only the store knows",
    { kept: { id, end: ended }, status: null },
    `${id} exited with code 3.`,
  ],
  ["may have ended", { ...running, status: null }, `Detached from ${id}. Baton can't tell if it still runs.`],
  ["is forgotten", null, `Detached from ${id}. Baton can't tell if it still runs.`],
])("after it was attached to a process that %s", async (_, seen, said) => {
  const processes = {
    reconcile: async () => {},
    list: async () => [running],
    find: async () => seen,
  };
  const terminal = { problem: vi.fn() };
  const openProcesses = async () => ({ processes, close: async () => {} });
  const cli = { terminal, loadConfig: async () => ({}), openProcesses } as unknown as Cli;
  await attachProcess(cli, id, {});
  expect(terminal.problem.mock.calls).toEqual([[said]]);
});
