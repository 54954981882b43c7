/**
 * The servers whose tools the agent may use (Model Context Protocol). They run commands and are told secrets, so only
 * the home folder's file names them.
 */
import { z } from "zod";
import { DEFAULTS } from "./defaults.js";
import { withoutPassword } from "./secret.js";
import { holdsSecret } from "./secret-names.js";
import { secretFile } from "./secret-schema.js";

const SECONDS = "use a number of seconds above 0, at most 86400";
const SECRET =
  "a secret does not stand in this file. Put it in a file of its own (chmod 600) and write `{ file: <path> }`";

/** Values by name; what is a secret by its name must stand in a file. */
function namedValues(name: RegExp, allowed: string, description: string, each: string) {
  const value = z.union([z.string(), secretFile], { error: "give a text, or { file: <path> }" });
  return z
    .record(z.string().regex(name, allowed), value.meta({ description, fallback: "none", secret: true }))
    .superRefine((values, context) => {
      for (const [key, given] of Object.entries(values)) {
        if (typeof given === "string" && holdsSecret(key, given)) {
          context.addIssue({ code: "custom", path: [key], message: SECRET });
        }
      }
    })
    .meta({ each });
}

const url = z.string().superRefine((written, context) => {
  const message = !/^https?:\/\//i.test(written) || !URL.canParse(written) ? "give an http(s) URL" : null;
  if (message !== null) context.addIssue({ code: "custom", message });
  else if (withoutPassword(written) !== written) context.addIssue({ code: "custom", message: SECRET });
});

const server = z
  .strictObject({
    command: z
      .string()
      .min(1, "give a command")
      .meta({ description: "Starts a server that speaks over its input and output.", fallback: "none" })
      .optional(),
    args: z
      .array(z.string("put each argument in quotes"))
      .meta({ description: "The command's arguments.", fallback: "none" })
      .optional(),
    env: namedValues(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      "use letters, digits and _",
      "What the command finds in its environment, beside `PATH`, `HOME` and the like.",
      "<variable>",
    ).optional(),
    cwd: z
      .string()
      .min(1, "give the path of a folder")
      .meta({ description: "The folder the command runs in.", fallback: "as `agent.workdir`" })
      .optional(),
    url: url
      .meta({ description: "Instead of a command: a server over streamable HTTP.", fallback: "none" })
      .optional(),
    headers: namedValues(
      /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
      "this is no name of an HTTP header",
      "What is sent to the URL with each request.",
      "<header>",
    ).optional(),
    tools: z
      .array(z.string("put each name in quotes"))
      .meta({ description: "The tools that are taken, by the server's own names.", fallback: "all" })
      .optional(),
    timeoutSeconds: z
      .number(SECONDS)
      .positive(SECONDS)
      .max(86_400, SECONDS)
      .meta({
        description: "A call is given up after so long without an answer or a sign of progress.",
        fallback: `\`${DEFAULTS.mcp.timeoutSeconds}\``,
      })
      .optional(),
    enabled: z
      .boolean("use true or false")
      .meta({ description: "`false` leaves the server alone.", fallback: "`true`" })
      .optional(),
  })
  .superRefine((written, context) => {
    const { command, args, env, cwd, url: address, headers } = written;
    const forCommands = [args, env, cwd].some((value) => value !== undefined);
    if ((command === undefined) === (address === undefined)) {
      context.addIssue({ code: "custom", message: "give either `command` or `url`" });
    } else if (command === undefined ? forCommands : headers !== undefined) {
      const message = "`args`, `env` and `cwd` go with `command`, `headers` with `url`";
      context.addIssue({ code: "custom", message });
    }
  });

export const mcp = z.strictObject({
  servers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,32}$/, "use 1 to 32 letters, digits and -"), server)
    .meta({ each: "<server>" })
    .optional(),
});
