/** An environment by its kind. If the program that reaches it is missing, it says so. */
import type { CommandEnvironment } from "../../util/command-environment.js";
import type { EnvironmentConfig, EnvironmentUse } from "../../util/environment-config.js";
import { cleanLine } from "../../util/text.js";
import { apptainerEnvironment } from "./apptainer.js";
import { containerEnvironment } from "./container.js";
import { sshEnvironment } from "./ssh.js";
import { isInstalled } from "./trial.js";

export function openEnvironment(options: EnvironmentConfig & EnvironmentUse): CommandEnvironment {
  const environment = byKind(options);
  const program = options.kind === "ssh" ? "ssh" : options.program;
  return {
    ...environment,
    launch: async (...given) => {
      if (!isInstalled(program, options.variables))
        throw new Error(`${cleanLine(program)} is not installed, or not in a folder of PATH.`);
      return environment.launch(...given);
    },
  };
}

function byKind(options: EnvironmentConfig & EnvironmentUse): CommandEnvironment {
  switch (options.kind) {
    case "ssh":
      return sshEnvironment(options);
    case "docker":
      return containerEnvironment(options);
    case "apptainer":
      return apptainerEnvironment(options);
    default:
      return options satisfies never;
  }
}
