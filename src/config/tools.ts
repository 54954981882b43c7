/** What the built-in tools may reach: the part of the schema that only the home file has. */
import { z } from "zod";
import { DEFAULTS, SANDBOX_MODES } from "./defaults.js";

const HOST = "name a host with its port, as in nas.local:8080 or [fd00::1]:80";

/** As a URL would have it, so that both can be compared letter by letter. */
const hostAndPort = z.string().transform((written, context) => {
  const [, host = "", port = ""] = /^([^/?#@*\s]+):(\d{1,5})$/.exec(written) ?? [];
  const url = `http://${host}/`;
  if (host !== "" && Number(port) >= 1 && Number(port) <= 65_535 && URL.canParse(url)) {
    return `${new URL(url).hostname}:${Number(port)}`;
  }
  context.addIssue({ code: "custom", message: HOST });
  return z.NEVER;
});

const SECONDS = "use a number of seconds above 0, at most 86400";

const COMMAND = "give a program and the words after it, without signs of the shell, such as git status";
const PLAIN_WORDS = /^[\w./+@:=,%-]+(?: [\w./+@:=,%-]+)*$/;

export const toolSettings = z.strictObject({
  folders: z
    .array(z.string().min(1, "give the path of a folder"))
    .meta({ description: "The folders that file tools may use.", fallback: "`agent.workdir` alone" })
    .optional(),
  fetch: z
    .strictObject({
      allowHosts: z
        .array(hostAndPort)
        .meta({
          description: "Private places that `fetch_url` may reach all the same, as `host:port`.",
          fallback: "none",
        })
        .optional(),
    })
    .optional(),
  terminal: z
    .strictObject({
      maxTimeoutSeconds: z
        .number(SECONDS)
        .positive(SECONDS)
        .max(86_400, SECONDS)
        .meta({
          description: "The longest time that a command may ask for.",
          default: DEFAULTS.tools.terminal.maxTimeoutSeconds,
        })
        .optional(),
      allow: z
        .array(z.string().regex(PLAIN_WORDS, COMMAND))
        .meta({
          description:
            "Commands that run without a question, such as `git status`; if this is set, Baton asks before all others.",
          fallback: "every command that is not dangerous",
        })
        .optional(),
      sandbox: z
        .enum(SANDBOX_MODES, "use auto, required or off")
        .meta({
          description:
            "Whether commands run in a sandbox. `auto`: if this machine has one. `required`: without one, Baton runs no command. `off`: never.",
          default: DEFAULTS.tools.terminal.sandbox,
        })
        .optional(),
      network: z
        .enum(["on", "off"], "use on or off")
        .meta({
          description:
            "Whether commands in the sandbox reach the network, this machine's own services included.",
          default: DEFAULTS.tools.terminal.network,
        })
        .optional(),
    })
    .optional(),
});
