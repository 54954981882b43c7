/** `baton gateway`: serves the connected platforms in the foreground; one gateway per home folder. */

import type { Config } from "../config/config.js";
import { type Log, logLine, safeLog } from "../log/log.js";
import type { LockHolder } from "../util/file-lock.js";
import type { Cli } from "./cli.js";
import { CliError } from "./failure.js";

interface ServingWish {
  /** The log lines go to the log file only. */
  readonly isQuiet?: boolean;
  /** The page can be opened at this address; once. What it throws stops the gateway. */
  readonly onPage?: (address: string) => Promise<void>;
}

export async function gateway(cli: Cli): Promise<void> {
  await serveGateway(cli, await cli.loadConfig("gateway"));
}

export async function serveGateway(cli: Cli, config: Config, options: ServingWish = {}): Promise<void> {
  const { adapters, problems } = await cli.openPlatforms(config);
  const page = config.web.enabled ? await cli.openPage(config) : null;
  if (adapters.length === 0 && !page) {
    const why = problems.map((problem) => `${problem}\n`).join("");
    throw new CliError(
      "no_platforms",
      `${why}No chat platform is set up. Run \`baton setup <platform>\` to set one up, \`baton web\` to chat in your browser, or \`baton\` to chat in this terminal.`,
    );
  }
  const { takeHome } = await import("../gateway/home-lock.js");
  const { runGateway } = await import("../gateway/run-gateway.js");
  const lock = takeHome(cli.home, Date.now());
  if (lock.kind === "held") throw await alreadyRunning(cli.home, lock.holder);
  const log = await gatewayLog(cli, options);
  lock.keep(() => {
    log("error", `This gateway was paused, and another one took over ${cli.home}. This one stops now.`);
    process.kill(process.pid, "SIGTERM");
  });
  const { unmatchableIds } = await import("../config/unmatchable-ids.js");
  const nobodys = unmatchableIds(config).map(({ message }) => message);
  for (const problem of [...problems, ...nobodys]) log("warn", problem);
  let failed: unknown;
  page?.listening
    .then(async (address) => {
      log("info", `The page is at ${address}. Run \`baton web\` to sign in.`);
      await options.onPage?.(address);
    })
    .catch((error: unknown) => {
      failed = error;
      process.kill(process.pid, "SIGTERM");
    });
  try {
    const outcome = await runGateway({
      open: page?.open ?? ((logged, onProblem) => cli.openGateway(config, logged, onProblem)),
      adapters: page ? [...adapters, page.adapter] : adapters,
      log,
      signals: process,
    });
    if (failed !== undefined) throw failed;
    if (outcome === "stopped") return;
  } catch (error) {
    log("error", `The gateway stopped: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  } finally {
    lock.release();
  }
  process.exit(1); // Unfinished turns still run in this process; the next gateway continues them.
}

/** Prints each line here, and writes it into the log file. */
async function gatewayLog({ terminal, home, redact }: Cli, { isQuiet }: ServingWish): Promise<Log> {
  const { fileLog } = await import("../log/file-log.js");
  const onScreen: Log = (level, text) => terminal.line(logLine(Date.now(), level, text));
  const onProblem = (problem: string) => onScreen("warn", problem);
  const inFile = fileLog({ home, by: "gateway", onProblem });
  return isQuiet ? safeLog(redact, inFile) : safeLog(redact, onScreen, inFile);
}

async function alreadyRunning(
  home: string,
  { process: holder, pid, host, since }: LockHolder,
): Promise<CliError> {
  const { fateOf } = await import("../util/holder.js");
  const { SILENT_MS } = await import("../util/life-sign.js");
  const elsewhere =
    fateOf(holder) === "unknown"
      ? ` It is in another container or on another machine. If that one has ended, try again in ${SILENT_MS / 1_000} seconds.`
      : "";
  return new CliError(
    "gateway_running",
    `A gateway is already running for ${home}: process ${pid} on ${host}, since ${since}. Stop it first, or set BATON_HOME.${elsewhere}`,
  );
}
