/**
 * The settings of this run: defaults < `baton.yaml` in the working folder < `config.yaml` in the home folder <
 * environment. The parsers are loaded only where there is something to read; nothing is ever written here.
 */
import type { Config } from "./config.js";
import { configText } from "./config-text.js";
import type { Environment } from "./environment.js";
import { configFiles, homePath } from "./files.js";
import { furtherBotsOf } from "./further-bots.js";
import { type Layer, layered, NOTHING } from "./layer.js";
import { invalidConfig } from "./problem.js";
import { resolveConfig } from "./resolve.js";
import { homeFile, projectFile } from "./schema.js";
import { webProblems } from "./web.js";
import { usualWorkdir, workspace } from "./workspace.js";

/** Refuses a configuration with mistakes, naming all of them. A gateway works in the workspace, wherever it is started. */
export async function loadConfig(
  environment: Environment,
  workingFolder: string,
  purpose: "terminal" | "gateway" = "terminal",
): Promise<Config> {
  const layer = await readLayers(environment, workingFolder);
  if (layer.problems.length > 0) throw invalidConfig(layer.problems);
  const files = configFiles(environment, workingFolder).filter((file) => file.exists);
  return resolveConfig(
    layer,
    environment.home,
    workingFolder,
    files.map((file) => file.path),
    purpose === "gateway" ? workspace() : usualWorkdir(workingFolder, environment.home),
  );
}

/**
 * Registers the further bots that the home file and the variables name. This comes before all else: which variables are
 * Baton's and what the command line takes follow from the platforms. What is wrong is said when the settings are read.
 */
export async function loadFurtherBots(
  home: string,
  variables: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<void> {
  furtherBotsOf(variables);
  const file = homePath(home);
  const text = await configText(file).catch(() => null);
  if (!text?.includes("like")) return; // No parser is loaded for nothing.
  const { readConfigFile } = await import("./read-file.js");
  await readConfigFile(file, homeFile);
}

/** Every source of settings, laid over each other, with all that is wrong in any of them. */
export async function readLayers(environment: Environment, workingFolder: string): Promise<Layer> {
  const { variables } = environment;
  const files = configFiles(environment, workingFolder).filter((file) => file.exists);
  if (files.length === 0 && Object.keys(variables).length === 0) return NOTHING;
  const { readConfigFile } = await import("./read-file.js");
  const { readVariables } = await import("./variables.js");
  await loadFurtherBots(environment.home, variables);
  let layer = furtherBotsOf(variables);
  for (const { kind, path } of files) {
    layer = layered(layer, await readConfigFile(path, kind === "home" ? homeFile : projectFile));
  }
  const all = layered(layer, readVariables(variables));
  return all.problems.length > 0 ? all : { ...all, problems: webProblems(all) };
}
