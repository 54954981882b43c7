/**
 * Where commands can run that is not this machine: another machine, or a container. Only the home folder's file names
 * them, because commands go there.
 */
import { THIS_MACHINE } from "../util/command-environment.js";
import type { EnvironmentConfig } from "../util/environment-config.js";
import { choice, list, number, type Setting, type Takes, text } from "../util/setting.js";
import { each, group, type WrittenOf } from "./groups.js";
import { held } from "./held.js";
import { folder, pathFrom } from "./paths.js";

/** No word of these may be taken for an option. */
const HOST = {
  pattern: /^[\w[][\w.:@%[\]-]*$/,
  error: "give a host as ssh takes it, such as build.example or ann@build.example",
};
const IMAGE = { pattern: /^[^\s-]\S*$/, error: "give the name of an image" };

const MOUNT: Takes = {
  is: "text",
  pattern: /^(?:~|~?\/[^:]*):\/[^:]*(?::ro)?$/,
  error: "give <path here>:<path there>, with :ro at the end if commands may only read it",
};

const environment = group(
  {
    kind: {
      ...choice(
        ["ssh", "docker", "apptainer"],
        null,
        {
          description:
            "`ssh`: another machine. `docker`: a container of Docker or Podman that Baton makes once and keeps. `apptainer`: a container of Apptainer or Singularity for each command.",
          fallback: "none",
        },
        "use ssh, docker or apptainer",
      ),
      isRequired: true,
    } as Setting<Kind> & { readonly isRequired: true },
    host: text({ description: "`ssh`: the host, as you would type it after `ssh`." }, HOST),
    port: number(
      null,
      { description: "`ssh`: the port.", fallback: "from your ssh configuration" },
      { isWhole: true, min: 1, max: 65_535, error: "use a port from 1 to 65535" },
    ),
    configFile: folder({
      description: "`ssh`: a configuration file instead of your own and the system's.",
      fallback: "your own",
    }),
    image: text(
      { description: "The image of the container; for `apptainer` also the path of a file or a folder." },
      IMAGE,
    ),
    program: text(
      { description: "The program to use, such as `podman` or `singularity`.", fallback: "as `kind`" },
      { pattern: /^[^\s-]\S*$/, error: "give the name or the path of a program" },
    ),
    memory: text(
      { description: "`docker`: the memory limit.", fallback: "`2g`" },
      { pattern: /^\d+[bkmg]?$/i, error: "give a number with a unit, such as 512m or 2g" },
    ),
    cpus: number(
      null,
      { description: "`docker`: how many processors it may use.", fallback: "`2`" },
      { above: 0, max: 1_024, error: "use a number above 0" },
    ),
    pids: number(
      null,
      { description: "`docker`: how many processes it may have.", fallback: "`512`" },
      { isWhole: true, min: 16, max: 1_000_000, error: "use a whole number from 16 on" },
    ),
    network: text(
      { description: "`docker`: the network, such as `none`.", fallback: "the engine's own" },
      { pattern: /^\w[\w.:-]*$/, error: "give the name of a network, such as none" },
    ),
    mounts: list(
      [],
      {
        description: "Folders of this machine that a container sees, as `<path here>:<path there>[:ro]`.",
        fallback: "none",
      },
      MOUNT,
    ),
    workdir: text(
      {
        description: "The folder there for commands that name no other.",
        fallback: "`ssh`: the home folder there; a container: that of its image",
      },
      { error: "give the path of a folder there" },
    ),
  },
  wrongTogether,
);

type Kind = EnvironmentConfig["kind"];

const ONLY_FOR: Readonly<Record<Kind, readonly string[]>> = {
  ssh: ["host", "port", "configFile"],
  docker: ["image", "program", "memory", "cpus", "pids", "network", "mounts"],
  apptainer: ["image", "program", "mounts"],
};

function wrongTogether(written: Readonly<Record<string, unknown>>): string | null {
  const kind = written.kind as Kind;
  const needed = kind === "ssh" ? "host" : "image";
  if (written[needed] === undefined) return `\`${kind}\` needs \`${needed}\``;
  const fits = [...ONLY_FOR[kind], "kind", "workdir"];
  const wrong = Object.keys(written).filter((key) => written[key] !== undefined && !fits.includes(key));
  return wrong.length === 0 ? null : `\`${wrong.join("`, `")}\` does not go with \`kind: ${kind}\``;
}

export const environmentSettings = each(
  "<environment>",
  { pattern: /^[a-z0-9][a-z0-9-]{0,31}$/, error: "use 1 to 32 small letters, digits and -" },
  environment,
  (name) => (name === THIS_MACHINE ? "this name means the machine on which Baton runs" : null),
);

export function environmentOf(written: WrittenOf<typeof environment>, home: string): EnvironmentConfig {
  const { kind, host, image, program, port, configFile, workdir, network, ...limits } = held(
    environment,
    written,
    () => home,
  );
  const mounts = limits.mounts.map((mount) => mount.replace(/^[^:]*/, (path) => pathFrom(home, path)));
  if (kind === "ssh") return { kind, workdir, host: host ?? "", port, configFile };
  const container = { workdir, image: image ?? "", program: program ?? kind, mounts };
  if (kind === "apptainer") return { kind, ...container, image: imageFrom(home, container.image) };
  const { memory, cpus, pids } = limits;
  return { kind, ...container, memory: memory ?? "2g", cpus: cpus ?? 2, pids: pids ?? 512, network };
}

/** An address, such as docker://debian, stays as it is. */
function imageFrom(home: string, written: string): string {
  return written.includes("://") ? written : pathFrom(home, written);
}
