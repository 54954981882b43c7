/**
 * The settings of this run: defaults < `baton.yaml` in the working folder < `config.yaml` in the home folder <
 * environment. The parsers are loaded only where there is a file to read; nothing is ever written here.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { SessionsConfig } from "../session/sessions.js";
import type { Environment } from "./environment.js";
import type { HomeFile } from "./schema.js";

export interface Config {
  readonly home: string;
  /** A URL or an absolute path. */
  readonly store: string;
  readonly sessions: SessionsConfig;
  /** The folder of the JSONL mirror; null where there is none. */
  readonly mirror: string | null;
  /** The files that were read, weakest first. */
  readonly files: readonly string[];
}

export async function loadConfig(environment: Environment, workingFolder: string): Promise<Config> {
  const { home } = environment;
  const projectPath = join(workingFolder, "baton.yaml");
  const homePath = join(home, "config.yaml");
  const files = [projectPath, homePath].filter((path) => existsSync(path));
  const { store, mirror, ...sessions } = files.length > 0 ? await readFiles(projectPath, homePath) : {};
  return {
    home,
    store: storeUrl(environment.store, workingFolder) ?? storeUrl(store, home) ?? join(home, "baton.db"),
    sessions: sessions as SessionsConfig, // Absent keys are absent, never undefined: zod's type cannot say so.
    mirror: mirror === "jsonl" ? join(home, "sessions") : null,
    files,
  };
}

async function readFiles(projectPath: string, homePath: string): Promise<HomeFile> {
  const { readConfigFile } = await import("./read-file.js");
  const { homeFile, projectFile } = await import("./schema.js");
  const project = (await readConfigFile(projectPath, projectFile)) ?? {};
  const home = (await readConfigFile(homePath, homeFile)) ?? {};
  return layered(project, home) as HomeFile;
}

type Tree = Readonly<Record<string, unknown>>;

/** The upper layer over the lower one, key by key, all the way down. */
function layered(lower: Tree, upper: Tree): Tree {
  const merged: Record<string, unknown> = { ...lower };
  for (const [key, value] of Object.entries(upper)) {
    const below = merged[key];
    merged[key] = isTree(below) && isTree(value) ? layered(below, value) : value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

/** A path is taken from the place where it was written; `~/` is the user's folder; URLs stay as they are. */
function storeUrl(written: string | undefined, folder: string): string | undefined {
  if (written === undefined) return undefined;
  const [, scheme = "", path = ""] = /^(sqlite:(?:\/\/(?=\/))?)?(.*)$/s.exec(written) ?? [];
  if (path === ":memory:" || /^[a-z][a-z0-9+.-]+:/i.test(path)) return written;
  return (
    scheme.slice(0, 7) + (path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(folder, path))
  );
}
