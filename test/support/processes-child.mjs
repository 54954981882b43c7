// What a gateway has of background processes, in a process of its own: `processes-child.mjs <folder> <store> <protocols>`.
// It calls the method that its parent names, and answers with the result.
import { fileURLToPath } from "node:url";
import { openStore } from "../../dist/open-sessions.js";
import { serveProcesses } from "../../dist/process/host/serve.js";
import { Processes } from "../../dist/process/processes.js";
import { startHost } from "../../dist/process/start-host.js";

const [folder, url, protocols] = process.argv.slice(2);
const program = fileURLToPath(new URL("../../dist/process-host.js", import.meta.url));
const { sessions, store } = await openStore({ url });
let laterMs = 0;
const clock = () => Date.now() + laterMs;
const processes = new Processes({
  folder,
  version: "test",
  protocols: JSON.parse(protocols),
  start: () =>
    startHost({ program, folder, environment: { PATH: process.env.PATH }, surroundings: { kind: "free" } }),
  store: store.processes,
  caps: { perSession: 64, inAll: 64 },
  keptMs: 1_800_000,
  graceMs: 300,
  clock,
  onProblem: (problem) => console.error(problem),
});
const source = { platform: "local", chatId: "cli", chatType: "dm", userId: "ann" };
const { sessionId } = await sessions.getOrCreate(source);
const watch = { checkIntervalMs: null, notifyOnComplete: false, patterns: [] };

const methods = {
  start: ({ command, cwd, pty }) =>
    processes.start({
      sessionId,
      by: source,
      command,
      workdir: cwd,
      walled: false,
      environment: "local",
      watch,
      spec: {
        file: "/bin/bash",
        args: ["-c", command],
        environment: { PATH: process.env.PATH, LANG: "C.UTF-8", PYTHON_COLORS: "0" },
        cwd,
        pty,
        hasOwnProcesses: false,
        remote: null,
      },
    }),
  serve: async () => {
    const rest = { version: "test", protocols: JSON.parse(protocols), endsWithService: false };
    await serveProcesses({ ...rest, folder, idleMs: 600_000 });
  },
  pass: (ms) => {
    laterMs += ms;
  },
  resources: () => process.getActiveResourcesInfo().sort(),
};

process.on("disconnect", () => process.exit(0));
process.on("message", async ({ n, method, args }) => {
  try {
    const call = methods[method] ?? ((...given) => processes[method](...given));
    process.send({ n, result: (await call(...args)) ?? null });
  } catch (error) {
    process.send({ n, error: { message: error.message, code: error.code } });
  }
});
process.send({ n: 0, result: null });
