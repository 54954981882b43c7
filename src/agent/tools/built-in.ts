/** The tools that Baton brings along. */
import type { Tool } from "../agent.js";
import { Confined } from "./confined.js";
import { editFileTool } from "./edit-file.js";
import { fetchUrlTool } from "./fetch-url.js";
import { listFilesTool } from "./list-files.js";
import { readFileTool } from "./read-file.js";
import { searchFilesTool } from "./search-files.js";
import { type Confinement, terminalTool } from "./terminal.js";
import { writeFileTool } from "./write-file.js";

export interface BuiltInOptions {
  /** The folder the agent works in: relative paths count from there. */
  readonly workdir: string;
  /** The folders that file tools may use. */
  readonly folders: readonly string[];
  /** Files and folders of Baton's own, which file tools never touch. */
  readonly own: readonly string[];
  /** All that commands see of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly maxTimeoutMs: number;
  /** `host:port`s that may be fetched from though they are private. */
  readonly allowHosts: readonly string[];
  /** If given, only these commands run without a question. */
  readonly allow?: readonly string[];
  /** Whether commands are walled in; by default not. */
  readonly confinement?: Confinement;
}

export function builtInTools(options: BuiltInOptions): Tool[] {
  const { workdir, folders, own, environment, maxTimeoutMs, allowHosts, allow, confinement } = options;
  // Of processes much can be learnt there, Baton's own environment among it.
  const { HOME: home } = environment;
  const forbidden = [...own, "/proc"];
  const confined = new Confined({ folders, base: workdir, forbidden, ...(home ? { home } : {}) });
  return [
    terminalTool({
      cwd: workdir,
      confined,
      environment,
      maxTimeoutMs,
      ...(allow ? { allow } : {}),
      ...(confinement ? { confinement } : {}),
    }),
    readFileTool(confined),
    writeFileTool(confined),
    editFileTool(confined),
    listFilesTool(confined),
    searchFilesTool(confined),
    fetchUrlTool({ allowHosts }),
  ];
}
