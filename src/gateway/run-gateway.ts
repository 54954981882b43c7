/**
 * A gateway in the foreground: it waits for a store that does not answer, runs until it gets a signal, then gives
 * running turns some time to finish and leaves the others to the next gateway. Stopping always ends, whatever hangs. A
 * second signal stops at once.
 */
import type { Adapter } from "../adapter/adapter.js";
import type { Log } from "../log/log.js";
import { StoreError } from "../session/errors.js";
import { platformTraits } from "../session/platform.js";
import type { OnProblem } from "../util/problem.js";
import { timerMs } from "../util/timer-ms.js";
import { stateText } from "./connection.js";
import type { Gateway } from "./gateway.js";
import { loggedAdapter } from "./logged-adapter.js";

const DRAIN_MS = 10_000;
/** How long stopping may take after that: a store that does not answer must not block it. */
const CLOSE_MS = 15_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const LONG_MS = 24 * 60 * 60 * 1_000;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export type OpenPlatforms = (
  adapters: readonly Adapter[],
  onProblem: OnProblem,
) => Promise<{
  readonly gateway: Pick<Gateway, "start" | "platforms">;
  close(options: { drainMs: number }): Promise<void>;
}>;

export interface RunOptions {
  readonly open: OpenPlatforms;
  readonly adapters: readonly Adapter[];
  readonly log: Log;
  /** Emits signals, by name: a process. */
  readonly signals: NodeJS.EventEmitter;
}

/** `left`: a second signal came, or stopping took too long. Work may still be running, so the process must exit. */
export async function runGateway(options: RunOptions): Promise<"stopped" | "left"> {
  const { signals, log } = options;
  let stop: (() => void) | null = null;
  let leave: (outcome: "left") => void = () => {};
  let late: NodeJS.Timeout | undefined;
  const asked = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const askedAgain = new Promise<"left">((resolve) => {
    leave = resolve;
  });
  const hear = (signal: string): void => {
    if (!stop) {
      log("warn", `${signal} again: stopping now. The next gateway continues the unfinished work.`);
      leave("left");
      return;
    }
    const drain = `running turns have ${DRAIN_MS / 1_000} s to finish`;
    log("info", `${signal}: stopping; ${drain}. Another signal stops at once.`);
    stop();
    stop = null;
    late = setTimeout(
      () => {
        log("warn", "Stopping takes too long: stopping now. The next gateway continues the unfinished work.");
        leave("left");
      },
      timerMs(DRAIN_MS + CLOSE_MS),
    );
  };
  for (const signal of SIGNALS) signals.on(signal, hear);
  // If no platform can be reached, nothing else keeps the process alive.
  const alive = setInterval(() => {}, LONG_MS);
  try {
    return await Promise.race([serve(options, asked), askedAgain]);
  } finally {
    clearInterval(alive);
    clearTimeout(late);
    for (const signal of SIGNALS) signals.off(signal, hear);
  }
}

async function serve(options: RunOptions, asked: Promise<void>): Promise<"stopped"> {
  const { log } = options;
  const open = await startWhenItCan(options, asked);
  if (open) {
    const { gateway, close } = open;
    try {
      for (const { platform, state } of gateway.platforms()) {
        const { title } = platformTraits(platform);
        if (state.kind === "connected") log("info", `${title} is connected.`);
        else log("warn", `${title}: ${stateText(state, null, Date.now())}`);
      }
      log("info", "The gateway is running. Press Ctrl-C to stop it.");
      await asked;
    } finally {
      await close({ drainMs: DRAIN_MS });
    }
  }
  log("info", "The gateway has stopped.");
  return "stopped";
}

/**
 * Opens and starts the gateway, and tries again while the store does not answer. Null if it should stop before that.
 */
async function startWhenItCan({ open, adapters, log }: RunOptions, asked: Promise<void>) {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const opened = await open(
        adapters.map((adapter) => loggedAdapter(adapter, log)),
        (problem, details) => log("warn", problem, details),
      );
      await opened.gateway.start().catch(async (error) => {
        await opened.close({ drainMs: 0 });
        throw error;
      });
      return opened;
    } catch (error) {
      if (!(error instanceof StoreError && error.mayPass)) throw error;
      log("warn", `${error.message} Baton waits for it and tries again in ${pauseMs / 1_000} s.`);
    }
    let timer: NodeJS.Timeout | undefined;
    const pause = new Promise<"again">((resolve) => {
      timer = setTimeout(resolve, timerMs(pauseMs), "again");
    });
    const next = await Promise.race([asked, pause]);
    clearTimeout(timer);
    if (next !== "again") return null;
  }
}
