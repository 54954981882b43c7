/** An environment by its kind. */
import type { CommandEnvironment } from "../../util/command-environment.js";
import type { EnvironmentConfig, EnvironmentUse } from "../../util/environment-config.js";
import { apptainerEnvironment } from "./apptainer.js";
import { containerEnvironment } from "./container.js";
import { sshEnvironment } from "./ssh.js";

export function openEnvironment(options: EnvironmentConfig & EnvironmentUse): CommandEnvironment {
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
