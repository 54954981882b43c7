/** `baton logs`: shows the log of the gateway and of chats, and follows it. */
import type { LogLevel } from "../log/log.js";
import type { LogRecord } from "../log/records.js";
import { cleanLine } from "../util/text.js";
import type { Cli } from "./cli.js";

const DEFAULT_LINES = 50;

interface LogsOptions {
  readonly follow?: boolean;
  readonly lines?: number;
  readonly level: LogLevel;
  readonly since?: number;
  readonly json?: boolean;
}

export async function logs({ terminal, home, redact }: Cli, options: LogsOptions): Promise<void> {
  const { follow, lastRecords, passes } = await import("../log/records.js");
  const { logFolder } = await import("../log/rotating-file.js");
  const folder = logFolder(home);
  const since = options.since === undefined ? 0 : Date.now() - options.since;
  const filter = { level: options.level, since };
  const most = options.lines ?? (options.since === undefined ? DEFAULT_LINES : Number.POSITIVE_INFINITY);
  const safe = (text: string) => redact(cleanLine(text));
  const print = (record: LogRecord): Promise<void> => {
    const shown: LogRecord = JSON.parse(JSON.stringify(record), (_, value) =>
      typeof value === "string" ? safe(value) : value,
    );
    return terminal.write(`${options.json ? JSON.stringify(shown) : readable(shown)}\n`);
  };
  const readable = ({ time, level, by, pid, msg }: LogRecord): string => {
    const { dim, yellow, red } = terminal.paint;
    const paint = { info: (text: string) => text, warn: yellow, error: red }[level];
    return `${dim(time)} ${paint(level.padEnd(5))} ${dim(`${by}[${pid}]`)} ${msg}`;
  };
  const { records, after } = await lastRecords(folder, filter, most);
  for (const record of records) await print(record);
  if (!options.follow) {
    if (after === null && !options.json) {
      terminal.line(`There is no log in ${cleanLine(folder)} yet. The gateway writes one.`);
    }
    return;
  }
  for await (const record of follow(folder, after, new AbortController().signal)) {
    if (passes(record, filter)) await print(record);
  }
}
