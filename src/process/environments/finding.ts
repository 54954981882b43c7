/**
 * What the doctor says of a place where commands can run: whether the program that reaches it is there, and whether the
 * place answers. It makes no container and fetches no image.
 */
import { existsSync } from "node:fs";
import type { EnvironmentConfig, EnvironmentUse } from "../../util/environment-config.js";
import type { Finding } from "../../util/finding.js";
import { cleanLine } from "../../util/text.js";
import { sshByHand, sshTrial } from "./ssh.js";
import { isInstalled, tried } from "./trial.js";

const PATIENCE_MS = 10_000;

export async function environmentFinding(options: EnvironmentConfig & EnvironmentUse): Promise<Finding> {
  const check = `environment ${options.name}`;
  const setting = `\`environments.${options.name}\``;
  const trial = trialOf(options);
  const [program] = trial;
  if (!isInstalled(program, options.variables)) {
    const finding = `${cleanLine(program)} can't be found`;
    return { check, status: "warning", finding, fix: `install it, or correct ${setting} in config.yaml` };
  }
  const outcome = await tried(trial, options.variables, PATIENCE_MS);
  if (outcome !== null) {
    const fix = `run \`${byHand(options)}\` to see more, or correct ${setting} in config.yaml`;
    return { check, status: "warning", finding: outcome, fix };
  }
  if (options.kind === "apptainer" && !options.image.includes("://") && !existsSync(options.image)) {
    const finding = `there is no image ${cleanLine(options.image)}`;
    return { check, status: "warning", finding, fix: `put it there, or correct ${setting} in config.yaml` };
  }
  return { check, status: "ok", finding: cleanLine(fineWords(options)) };
}

/** The version of an engine is asked of the engine itself, not only of its client. */
function trialOf(options: EnvironmentConfig): readonly [string, ...string[]] {
  return options.kind === "ssh" ? sshTrial(options) : [options.program, "version"];
}

/** What a person types to see the same. */
function byHand(options: EnvironmentConfig): string {
  return options.kind === "ssh" ? sshByHand(options) : trialOf(options).join(" ");
}

function fineWords(options: EnvironmentConfig): string {
  if (options.kind === "ssh") return `ssh reaches ${options.host}`;
  return `${options.program} answers; commands run in containers of ${options.image}`;
}
