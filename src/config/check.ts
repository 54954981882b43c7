/** All that is wrong with the configuration: what the files and variables say, and the secrets they point to. */
import { BatonError } from "../session/errors.js";
import type { Environment } from "./environment.js";
import { readLayers } from "./load.js";
import type { Problem } from "./problem.js";
import { resolveConfig } from "./resolve.js";

export async function checkConfig(
  environment: Environment,
  workingFolder: string,
): Promise<readonly Problem[]> {
  const layer = await readLayers(environment, workingFolder);
  if (layer.problems.length > 0) return layer.problems;
  const { store } = resolveConfig(layer, environment.home, workingFolder, []);
  const place = layer.places.get("store");
  if (!place) return [];
  try {
    store.reveal();
    return [];
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    return [{ place, key: "store", message: `store: ${error.message}` }];
  }
}
