/** What a service is made from, and what may stand in the file that describes it. */
import { CliError } from "../failure.js";

/** All paths are absolute. */
export interface Service {
  /** The Node.js and the program that it runs. */
  readonly node: string;
  readonly main: string;
  /** Baton's home folder, and that of the user. */
  readonly home: string;
  readonly userHome: string;
  /** Where the agent's commands find programs. */
  readonly path: string;
}

/** Variables for the service, one a line as NAME=value: for secrets that do not stand in a file of their own. */
export function environmentFile(home: string): string {
  return `${home}/environment`;
}

/** The first line of what we write: what has another is not ours to replace or remove. */
export const WRITTEN_BY = "Written by `baton service install`; `baton service uninstall` takes it away.";

/** A line break would begin another setting. */
export function checkService(service: Service): Service {
  for (const [name, value] of Object.entries(service)) {
    if (/[\p{Cc}\u2028\u2029\ufffe\uffff]/u.test(value) || !value.isWellFormed()) {
      throw new CliError(
        "invalid_path",
        `The ${name === "path" ? "PATH" : "path"} ${JSON.stringify(value)} holds a control character, which no service file can. Rename it, then install again.`,
      );
    }
  }
  return service;
}
