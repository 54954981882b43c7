/** The tools that Baton brings along. */
import type { CommandEnvironment } from "../../util/command-environment.js";
import type { Tool } from "../agent.js";
import type { Confinement } from "../sandbox/sandbox.js";
import { Confined } from "./confined.js";
import { editFileTool } from "./edit-file.js";
import { fetchUrlTool } from "./fetch-url.js";
import { listFilesTool } from "./list-files.js";
import { type OutgoingFiles, outgoingFiles } from "./outgoing-files.js";
import { readFileTool } from "./read-file.js";
import { searchFilesTool } from "./search-files.js";
import { terminalTool } from "./terminal.js";
import { writeFileTool } from "./write-file.js";

export interface BuiltInOptions {
  /** The folder in which the agent works: relative paths start there. */
  readonly workdir: string;
  /** The folders that file tools may use. */
  readonly folders: readonly string[];
  /** Baton's own files and folders, which file tools never touch. */
  readonly own: readonly string[];
  /** The whole environment that commands see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly maxTimeoutMs: number;
  /** `host:port` pairs that may be fetched although they are private. */
  readonly allowHosts: readonly string[];
  /** If given, Baton runs only these commands without asking. */
  readonly allow?: readonly string[];
  /** How commands are confined; by default not at all. */
  readonly confinement?: Confinement;
  /** Where else commands may run, and where they run if they name none. */
  readonly environments?: readonly CommandEnvironment[];
  readonly defaultEnvironment?: string;
}

type ToolPlaces = Pick<BuiltInOptions, "workdir" | "folders" | "own" | "environment">;

function confinedTo({ workdir, folders, own, environment: { HOME: home } }: ToolPlaces): Confined {
  // It reveals much about processes, such as Baton's own environment.
  const forbidden = [...own, "/proc"];
  return new Confined({ folders, base: workdir, forbidden, ...(home ? { home } : {}) });
}

/** What the agent may send: files from where its file tools read. */
export function filesToSend(places: ToolPlaces): OutgoingFiles {
  return outgoingFiles(confinedTo(places));
}

export function builtInTools(options: BuiltInOptions): Tool[] {
  const { workdir, environment, maxTimeoutMs, allowHosts, allow, confinement } = options;
  const { environments = [], defaultEnvironment } = options;
  const confined = confinedTo(options);
  return [
    terminalTool({
      cwd: workdir,
      confined,
      environment,
      maxTimeoutMs,
      ...(allow ? { allow } : {}),
      ...(confinement ? { confinement } : {}),
      environments,
      ...(defaultEnvironment ? { defaultEnvironment } : {}),
    }),
    readFileTool(confined),
    writeFileTool(confined),
    editFileTool(confined),
    listFilesTool(confined),
    searchFilesTool(confined),
    fetchUrlTool({ allowHosts }),
  ];
}
