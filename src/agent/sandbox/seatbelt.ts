/**
 * The profile for macOS's `sandbox-exec`, in which the last matching rule decides. Pure. We have no Mac and have never
 * run it, so Baton still asks people who use it. Processes are not isolated there, unlike on Linux.
 */

export interface SeatbeltLayout {
  /** Real paths, as the kernel knows them. */
  readonly folders: readonly string[];
  readonly hidden: readonly string[];
  readonly home: string;
  /** Programs that lie in the home folder. */
  readonly programs: readonly string[];
  readonly temporary: string;
  /** Folders of Baton's own that can be read. */
  readonly files: readonly string[];
  readonly network: boolean;
}

export function seatbeltProfile(layout: SeatbeltLayout): string {
  const { folders, hidden, home, programs, temporary, files, network } = layout;
  return [
    "(version 1)",
    "(allow default)",
    "(deny appleevent-send)",
    "(deny lsopen)",
    "(deny job-creation)",
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    `(deny network-outbound ${below(["/private/var/run", "/private/tmp"])})`,
    '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
    ...(network ? [] : ["(deny network*)"]),
    "(deny file-write*)",
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    `(deny file-read* ${below([home, "/Users", "/private/var/root"])})`,
    `(allow file-read-metadata ${below([home])})`,
    ...rule("allow file-read*", programs),
    ...rule("allow file-read* file-write*", folders),
    ...rule("deny file-read* file-write*", hidden),
    ...rule("allow file-read*", files),
    ...rule("allow file-read* file-write*", [temporary]), // It may be inside something that is hidden.
    "",
  ].join("\n");
}

/** A rule without a path would hold for all paths. */
function rule(what: string, paths: readonly string[]): string[] {
  return paths.length > 0 ? [`(${what} ${below(paths)})`] : [];
}

function below(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quoted(path)})`).join(" ");
}

/** A string of the profile's language: a quote or a backslash in a path must not end it. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}
