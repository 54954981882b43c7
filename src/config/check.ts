/**
 * All that is wrong with the configuration: what the files and variables say, and the secrets they point to. What is
 * allowed, but perhaps not meant, is a warning.
 */
import { BatonError } from "../session/errors.js";
import type { Config } from "./config.js";
import type { Environment } from "./environment.js";
import { readLayers } from "./load.js";
import { chooseFallback, chooseModel } from "./model-choice.js";
import type { Problem } from "./problem.js";
import { resolveConfig } from "./resolve.js";
import { sharedDms } from "./shared-dms.js";
import { SETS_NOTHING, unknownVariables } from "./unknown-variables.js";
import { unmatchableIds } from "./unmatchable-ids.js";

export async function checkConfig(
  environment: Environment,
  workingFolder: string,
): Promise<{ readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }> {
  const layer = await readLayers(environment, workingFolder);
  const unknown = unknownVariables(environment.variables).map(({ variable, meant }) => ({
    place: { variable },
    key: "",
    message: meant === null ? SETS_NOTHING : `${SETS_NOTHING} Did you mean "${meant}"?`,
  }));
  if (layer.problems.length > 0) return { problems: layer.problems, warnings: unknown };
  const config = resolveConfig(layer, environment.home, workingFolder, [], workingFolder);
  const { store, agent } = config;
  const facts = { agent, places: layer.places, variables: environment.models };
  const chosen = async () => {
    const first = await chooseModel(facts, async () => null);
    if (first) chooseFallback(facts, first);
  };
  const checks: [key: string, check: () => unknown][] = [
    ["store", () => store.reveal()],
    ["agent.apiKey", () => agent.apiKey?.reveal()],
    ["agent.fallback.apiKey", () => agent.fallback.apiKey?.reveal()],
    ["agent.provider", chosen],
  ];
  const problems: Problem[] = [];
  for (const [key, check] of checks) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof BatonError)) throw error;
      const place = layer.places.get(key) ?? layer.places.get("agent.apiKey") ?? { variable: key };
      problems.push({ place, key, message: `${key}: ${error.message}` });
    }
  }
  return { problems, warnings: [...unknown, ...warningsOf(config)] };
}

function warningsOf(config: Config): Problem[] {
  const key = "scopes.dm";
  const shared = sharedDms(config);
  const place = config.places.get(key);
  const together =
    shared && place ? [{ place, key, message: `${shared.message} To change it, ${shared.fix}.` }] : [];
  const nobodys = unmatchableIds(config).map(({ key, message }) => ({
    place: config.places.get(key) ?? { variable: key },
    key,
    message,
  }));
  return [...together, ...nobodys];
}
