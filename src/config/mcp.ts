/**
 * The servers whose tools the agent may use (Model Context Protocol). They run commands and are told secrets, so only
 * the home folder's file names them.
 */
import { parsedUrl } from "../util/parsed-url.js";
import { Secret, SecretFile } from "../util/secret.js";
import { flag, list, type Setting, text } from "../util/setting.js";
import { each, group, type WrittenOf } from "./groups.js";
import { held } from "./held.js";
import { folder, pathFrom } from "./paths.js";
import { seconds } from "./seconds.js";
import { readSecretFile, withoutPassword } from "./secret.js";
import { holdsSecret } from "./secret-names.js";

const SECRET =
  "do not write a secret into this file. Put it into a file of its own (chmod 600) and write `{ file: <path> }`";

/** Values by name; what is a secret by its name must stand in a file. */
function namedValues(label: string, pattern: RegExp, error: string, description: string) {
  const value: Setting<string | Secret | null> = {
    description,
    fallback: "none",
    takes: {
      is: "either",
      of: [{ is: "text", mayBeEmpty: true }, { is: "secret" }],
      error: "give a text, or { file: <path> }",
    },
  };
  return each(label, { pattern, error }, value, (name, written) =>
    typeof written === "string" && holdsSecret(name, written) ? SECRET : null,
  );
}

const server = group(
  {
    command: text(
      { description: "Starts a server that speaks over its input and output." },
      { error: "give a command" },
    ),
    args: list(
      null,
      { description: "The command's arguments.", fallback: "none" },
      { is: "text", mayBeEmpty: true, error: "put each argument in quotes" },
    ),
    env: namedValues(
      "<variable>",
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      "use letters, digits and _",
      "A variable for the command, besides `PATH`, `HOME` and the like.",
    ),
    cwd: folder({ description: "The folder in which the command runs.", fallback: "as `agent.workdir`" }),
    url: text(
      { description: "Instead of a command: a server over streamable HTTP." },
      { mayBeEmpty: true, refuse: wrongUrl },
    ),
    headers: namedValues(
      "<header>",
      /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
      "this is not the name of an HTTP header",
      "A header for each request to the URL.",
    ),
    tools: list(
      null,
      { description: "The tools that the agent may use, by the server's own names.", fallback: "all" },
      { is: "text", mayBeEmpty: true, error: "put each name in quotes" },
    ),
    timeoutSeconds: seconds(60, {
      description: "Baton gives up a call after this time without an answer or a sign of progress.",
    }),
    enabled: flag(true, { description: "`false`: Baton does not use this server." }),
  },
  wrongTogether,
);

function wrongUrl(written: string): string | null {
  if (!/^https?:\/\//i.test(written) || !parsedUrl(written)) return "give an http(s) URL";
  return withoutPassword(written) === written ? null : SECRET;
}

function wrongTogether(written: Readonly<Record<string, unknown>>): string | null {
  const { command, args, env, cwd, url, headers } = written;
  if ((command === undefined) === (url === undefined)) return "give either `command` or `url`";
  const forCommands = [args, env, cwd].some((value) => value !== undefined);
  const isWrong = command === undefined ? forCommands : headers !== undefined;
  return isWrong ? "`args`, `env` and `cwd` go with `command`, `headers` with `url`" : null;
}

export const mcpSettings = group({
  servers: each(
    "<server>",
    { pattern: /^[A-Za-z0-9-]{1,32}$/, error: "use 1 to 32 letters, digits and -" },
    server,
  ),
});

export interface McpServerConfig {
  readonly enabled: boolean;
  readonly reach:
    | {
        readonly kind: "command";
        readonly command: string;
        readonly args: readonly string[];
        /** Beside what every child finds. */
        readonly env: Readonly<Record<string, string | Secret>>;
        readonly cwd: string;
      }
    | {
        readonly kind: "url";
        readonly url: string;
        readonly headers: Readonly<Record<string, string | Secret>>;
      };
  /** The server's own names of the tools that are taken; null for all. */
  readonly tools: readonly string[] | null;
  readonly timeoutSeconds: number;
}

export function mcpServerOf(
  written: WrittenOf<typeof server>,
  home: string,
  workdir: string,
): McpServerConfig {
  const { command, args, env, cwd, url, headers, ...rest } = held(server, written, () => home);
  return {
    ...rest,
    reach:
      command === null
        ? { kind: "url", url: url ?? "", headers: valuesOf(headers, home) }
        : {
            kind: "command",
            command: command.includes("/") ? pathFrom(home, command) : command,
            args: args ?? [],
            env: valuesOf(env, home),
            cwd: cwd ?? workdir,
          },
  };
}

function valuesOf(
  written: Readonly<Record<string, string | SecretFile>>,
  home: string,
): Record<string, string | Secret> {
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [
      name,
      value instanceof SecretFile ? secretIn(pathFrom(home, value.path)) : value,
    ]),
  );
}

function secretIn(path: string): Secret {
  return new Secret(`{ file: ${path} }`, () => readSecretFile(path), path);
}
