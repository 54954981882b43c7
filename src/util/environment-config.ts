/** A place where commands can run that is not this machine, as the settings `environments.<name>` describe it. */

export type EnvironmentConfig =
  | ({ readonly kind: "ssh" } & SshConfig)
  | ({ readonly kind: "docker" } & ContainerConfig)
  | ({ readonly kind: "apptainer" } & ApptainerConfig);

interface PlaceConfig {
  /** The folder there for commands that name no other; null if that is left to the other side. */
  readonly workdir: string | null;
}

export interface SshConfig extends PlaceConfig {
  /** As on the command line of ssh: a name, an alias of its configuration, or user@name. */
  readonly host: string;
  readonly port: number | null;
  /** Instead of the user's own and the system's configuration. */
  readonly configFile: string | null;
}

export interface ApptainerConfig extends PlaceConfig {
  /** `apptainer`, `singularity`, or the path of one. */
  readonly program: string;
  /** The path of a file or a folder, or an address such as docker://debian. */
  readonly image: string;
  /** `<path here>:<path there>[:ro]`. */
  readonly mounts: readonly string[];
}

export interface ContainerConfig extends PlaceConfig {
  /** `docker`, `podman`, or the path of one. */
  readonly program: string;
  readonly image: string;
  /** As the engine takes them: `2g`, `1.5`. */
  readonly memory: string;
  readonly cpus: number;
  readonly pids: number;
  /** As the engine takes it, such as `none`; null for its own default. */
  readonly network: string | null;
  /** `<path here>:<path there>[:ro]`. */
  readonly mounts: readonly string[];
}

/** What a place needs to know of the Baton that uses it. */
export interface EnvironmentUse {
  /** As in the setting `environments.<name>`. */
  readonly name: string;
  /** The whole environment of the program that reaches it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The home folder of Baton: each has containers and connections of its own. */
  readonly home: string;
}
