/** `baton gateway`: the connected platforms, served in the foreground; one gateway a home folder. */
import type { LockHolder } from "../gateway/home-lock.js";
import { type Log, logLine, safeLog } from "../log/log.js";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";

export async function gateway(cli: Cli): Promise<void> {
  const config = await cli.loadConfig("gateway");
  const { adapters, problems } = await cli.openPlatforms(config);
  if (adapters.length === 0) {
    const why = problems.map((problem) => `${problem}\n`).join("");
    throw new CliError(
      "no_platforms",
      `${why}No chat platform is set up, so there is nothing to serve yet. \`baton setup <platform>\` sets one up; \`baton\` chats with you in this terminal.`,
    );
  }
  const { takeHome } = await import("../gateway/home-lock.js");
  const { runGateway } = await import("../gateway/run-gateway.js");
  const lock = takeHome(cli.home, Date.now());
  if (lock.kind === "held") throw await alreadyRunning(cli.home, lock.holder);
  const log = await gatewayLog(cli);
  lock.keep(() => {
    log("error", `Another gateway took ${cli.home} while this one stood still, so this one ends.`);
    process.kill(process.pid, "SIGTERM");
  });
  const { unmatchableIds } = await import("../config/unmatchable-ids.js");
  const nobodys = unmatchableIds(config).map(({ message }) => message);
  for (const problem of [...problems, ...nobodys]) log("warn", problem);
  try {
    const outcome = await runGateway({
      open: (logged, onProblem) => cli.openGateway(config, logged, onProblem),
      adapters,
      log,
      signals: process,
    });
    if (outcome === "stopped") return;
  } catch (error) {
    log("error", `The gateway has ended: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  } finally {
    lock.release();
  }
  process.exit(1); // Turns that were left still run here; the next gateway goes on with them.
}

/** Readable lines here, and the same in the log of the home folder. */
async function gatewayLog({ terminal, home, redact }: Cli): Promise<Log> {
  const { fileLog } = await import("../log/file-log.js");
  const onScreen: Log = (level, text) => terminal.line(logLine(Date.now(), level, text));
  const onProblem = (problem: string) => onScreen("warn", problem);
  return safeLog(redact, onScreen, fileLog({ home, by: "gateway", onProblem }));
}

async function alreadyRunning(home: string, { owner, pid, host, since }: LockHolder): Promise<CliError> {
  const { fateOf } = await import("../gateway/owner.js");
  const { SILENT_MS } = await import("../gateway/life-sign.js");
  const elsewhere =
    fateOf(owner) === "unknown"
      ? ` It is in another container or on another machine; if that has ended, try again in ${SILENT_MS / 1_000} seconds.`
      : "";
  return new CliError(
    "gateway_running",
    `A gateway already runs for ${home}: process ${pid} on ${host}, since ${since}. Stop it first, or set BATON_HOME.${elsewhere}`,
  );
}
