/**
 * What the doctor says of a place where commands can run: whether the program that reaches it is there, and whether the
 * place answers. It makes no container and fetches no image.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import type { EnvironmentConfig, EnvironmentUse } from "../../util/environment-config.js";
import type { Finding } from "../../util/finding.js";
import { cleanLine, shorten } from "../../util/text.js";
import { sshTrial } from "./ssh.js";

const PATIENCE_MS = 10_000;
const LONGEST_REASON = 300;

export async function environmentFinding(options: EnvironmentConfig & EnvironmentUse): Promise<Finding> {
  const check = `environment ${options.name}`;
  const setting = `\`environments.${options.name}\``;
  const [program, ...args] = trialOf(options);
  const outcome = await tried(program, args, options.variables);
  if (outcome === "missing") {
    const finding = `${cleanLine(program)} can't be found`;
    return { check, status: "warning", finding, fix: `install it, or correct ${setting} in config.yaml` };
  }
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
  if (options.kind !== "ssh") return trialOf(options).join(" ");
  const { host, port, configFile } = options;
  const words = ["ssh", ...(configFile === null ? [] : ["-F", configFile])];
  return [...words, ...(port === null ? [] : ["-p", String(port)]), host].join(" ");
}

function fineWords(options: EnvironmentConfig): string {
  if (options.kind === "ssh") return `ssh reaches ${options.host}`;
  return `${options.program} answers; commands run in containers of ${options.image}`;
}

/** Null if it worked; otherwise why it did not. */
function tried(
  program: string,
  args: readonly string[],
  env: EnvironmentUse["variables"],
): Promise<"missing" | string | null> {
  return new Promise((resolve) => {
    const options = { cwd: "/", env: { ...env }, timeout: PATIENCE_MS, killSignal: "SIGKILL" } as const;
    const child = execFile(program, [...args], options, (error, _, said) => {
      if (error === null) return resolve(null);
      if (error.code === "ENOENT") return resolve("missing");
      if (error.killed) return resolve(`it did not answer within ${PATIENCE_MS / 1_000} s`);
      const reason = said.trim().split("\n").at(-1) || `it failed with code ${error.code ?? error.signal}`;
      resolve(cleanLine(shorten(reason, LONGEST_REASON)));
    });
    child.stdin?.end();
  });
}
