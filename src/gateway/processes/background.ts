/** Starts a command of the tool `terminal` in the background, for the person and the conversation of a turn. */
import type { BackgroundCommand, ToolContext } from "../../agent/agent.js";
import type { Processes, SeenProcess } from "../../process/processes.js";
import { BatonError } from "../../session/errors.js";
import type { InboxItem, Turn } from "../store.js";

/** Wide enough for most programs, and short enough to read. */
const SCREEN = { cols: 120, rows: 40 };

export function startsInBackground(
  processes: Pick<Processes, "start">,
  { sessionId }: Pick<Turn, "sessionId">,
  { by, source }: Pick<InboxItem, "by" | "source">,
): NonNullable<ToolContext["background"]> {
  return async (asked) => {
    const { command, workdir, environment, walled, checkIntervalMs, notifyOnComplete, patterns } = asked;
    try {
      const started = await processes.start({
        sessionId,
        by: by ?? source,
        command,
        workdir,
        environment,
        walled,
        watch: { checkIntervalMs, notifyOnComplete, patterns },
        spec: {
          file: asked.file,
          args: asked.args,
          environment: asked.variables,
          cwd: asked.cwd,
          pty: asked.pty ? SCREEN : null,
          hasOwnProcesses: asked.hasOwnProcesses,
          remote: asked.remote,
        },
      });
      return startedText(started, asked);
    } catch (error) {
      if (error instanceof BatonError) return `Error: ${error.message}`;
      throw error;
    }
  };
}

export function startedText(
  { kept, status }: SeenProcess,
  asked: Pick<BackgroundCommand, "pty" | "checkIntervalMs" | "notifyOnComplete" | "patterns">,
): string {
  if (status?.pid === 0) {
    const why = status.end?.kind === "lost" ? status.end.why : "It was ended before it ran.";
    return `Error: ${why}`;
  }
  const { checkIntervalMs, notifyOnComplete, patterns } = asked;
  return [
    `Started in the background as ${kept.id}${status ? `, pid ${status.pid}` : ""}.`,
    ...(asked.pty && status?.pty === null ? ["No terminal is available here, so it runs with pipes."] : []),
    ...(checkIntervalMs === null
      ? []
      : [`Its new output goes to the chat every ${checkIntervalMs / 1_000} s.`]),
    ...(notifyOnComplete ? ["You will get a message when it ends."] : []),
    ...(patterns.length === 0 ? [] : ["You will get a message when a line matches."]),
    "Use the tool `process` to check on it.",
  ].join(" ");
}
