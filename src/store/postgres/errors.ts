/** What PostgreSQL and the network say, as errors that say what to do. */
import { BatonError, type ErrorCode, StoreError } from "../../session/errors.js";

const LOOK = "Look at the server's log, then restore a backup of the database.";

/** What the server or the network says; the URL, which may hold a password, stays out of it. */
const BY_CODE: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  "53100": ["store_full", "The PostgreSQL server has no disk space left. Free some; nothing was lost."],
  "25006": ["store_readonly", "The PostgreSQL server is read-only (a standby?). Connect to the primary."],
  "42501": [
    "store_readonly",
    "The database user may not do this. Grant it CREATE on the database, or ownership of schema baton.",
  ],
  "28P01": ["store_unreachable", "PostgreSQL refused the password. Check the store URL."],
  "28000": [
    "store_unreachable",
    "PostgreSQL refused the user. Check the store URL and the server's pg_hba.conf.",
  ],
  "3D000": [
    "store_unreachable",
    "The PostgreSQL database does not exist. Create it, or check the store URL.",
  ],
  ECONNREFUSED: [
    "store_unreachable",
    "No PostgreSQL server answers there. Is it running? Check host and port of the store URL.",
  ],
  ENOTFOUND: ["store_unreachable", "The host of the PostgreSQL URL is unknown. Check the store URL."],
  EAI_AGAIN: [
    "store_unreachable",
    "The host of the PostgreSQL URL could not be looked up. Check the network.",
  ],
  ENETUNREACH: [
    "store_unreachable",
    "The network of the PostgreSQL URL cannot be reached. Check the network.",
  ],
  EHOSTUNREACH: ["store_unreachable", "The host of the PostgreSQL URL cannot be reached. Check the network."],
  ETIMEDOUT: ["store_unreachable", "The PostgreSQL server did not answer in time. Check the network."],
  "57P01": ["store_unreachable", "The PostgreSQL server ended the connection. Try again."],
  "57P02": ["store_unreachable", "The PostgreSQL server ended the connection after a crash. Try again."],
  "53300": ["store_unreachable", "The PostgreSQL server has no free connection. Try again."],
  "25P03": ["store_unreachable", "PostgreSQL ended a step that stood still in the middle. Try again."],
  "25P04": ["store_unreachable", "PostgreSQL ended a step that took too long. Try again."],
  "55P03": [
    "store_busy",
    "Another process is changing the same rows and does not come to an end. Try again.",
  ],
  "57014": ["store_busy", "PostgreSQL took too long for one step. Look at the server, then try again."],
  "57P03": ["store_unreachable", "The PostgreSQL server is starting or stopping. Try again."],
  ECONNRESET: ["store_unreachable", "The connection to PostgreSQL was lost. Try again."],
  XX000: ["store_corrupt", `PostgreSQL failed in itself, as it does if its data is damaged. ${LOOK}`],
  XX001: ["store_corrupt", `PostgreSQL reports damaged data. ${LOOK}`],
  XX002: [
    "store_corrupt",
    "PostgreSQL reports a damaged index. Look at the server's log, then run `REINDEX SCHEMA baton`.",
  ],
  "58030": ["store_corrupt", `PostgreSQL can't read or write its files. Check the disk. ${LOOK}`],
  "58P01": ["store_corrupt", `A file of the PostgreSQL database is missing. ${LOOK}`],
};

/** Of the server or the network, not of what it was asked for: soon it may be there again. */
const MAY_PASS: readonly string[] = [
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "53300",
  "57P01",
  "57P02",
  "57P03",
];

export function storeErrorOf(error: unknown): unknown {
  if (error instanceof BatonError || !(error instanceof Error)) return error;
  const known = BY_CODE[codeOf(error)];
  if (known) {
    return new StoreError(known[0], known[1], { cause: error, mayPass: MAY_PASS.includes(codeOf(error)) });
  }
  if (/read timeout/i.test(error.message) && !codeOf(error)) {
    const message = "PostgreSQL did not answer in time. Check the server and the network.";
    return new StoreError("store_unreachable", message, { cause: error, mayPass: true });
  }
  if (/connection|timeout|connect\b|not queryable/i.test(error.message) && !codeOf(error)) {
    return new StoreError("store_unreachable", `PostgreSQL cannot be reached: ${error.message}. Try again.`, {
      cause: error,
      mayPass: true,
    });
  }
  // The server's errors have a severity. The driver is not loaded here: a run on SQLite does without it.
  if ("severity" in error || codeOf(error)) {
    return new StoreError("store_failed", `PostgreSQL failed: ${error.message}`, { cause: error });
  }
  return error;
}

/** The server answered: the connection is good. */
export function isFromServer(error: unknown): boolean {
  return error instanceof Error && "severity" in error;
}

/** What a connection has prepared does not fit the tables any more: somebody has changed them since. */
export function isStalePlan(error: unknown): boolean {
  return [codeOf(error), causeCode(error)].includes("0A000");
}

/** A serialisation failure, a deadlock, or a row that another transaction has just added or taken away. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01", "23503", "23505"].includes(causeCode(error));
}

export function causeCode(error: unknown): string {
  return codeOf((error as Error | undefined)?.cause);
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? "");
}
