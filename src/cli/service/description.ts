/** What a service file is made from. */
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

/** Variables for the service, one NAME=value per line: for secrets that have no file of their own. */
export function environmentFile(home: string): string {
  return `${home}/environment`;
}

/** The first line of our files: Baton does not replace or delete a file without it. */
export const WRITTEN_BY = "Written by `baton service install`; `baton service uninstall` removes it.";

/** A line break would start another setting. */
export function checkService(service: Service): Service {
  for (const [name, value] of Object.entries(service)) {
    if (/[\p{Cc}\u2028\u2029\ufffe\uffff]/u.test(value) || !value.isWellFormed()) {
      throw new CliError(
        "invalid_path",
        `The ${name === "path" ? "PATH" : "path"} ${JSON.stringify(value)} contains a control character, which a service file can't hold. Rename it, then install again.`,
      );
    }
  }
  return service;
}
