/** An environment by its kind. */
import type { CommandEnvironment } from "../../util/command-environment.js";
import { type ApptainerOptions, apptainerEnvironment } from "./apptainer.js";
import { type ContainerOptions, containerEnvironment } from "./container.js";
import { type SshOptions, sshEnvironment } from "./ssh.js";

export type EnvironmentOptions =
  | ({ readonly kind: "ssh" } & SshOptions)
  | ({ readonly kind: "docker" } & ContainerOptions)
  | ({ readonly kind: "apptainer"; readonly home: string } & ApptainerOptions);

export function openEnvironment(options: EnvironmentOptions): CommandEnvironment {
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
