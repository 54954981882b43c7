/** What the built-in tools may reach, and which tools an agent has while it answers somebody. */

import { THIS_MACHINE } from "../util/command-environment.js";
import { parsedUrl } from "../util/parsed-url.js";
import { choice, list, type Takes, textOr } from "../util/setting.js";
import { each, group } from "./groups.js";
import { A_PERSON, eachPlatform, personNames } from "./names.js";
import { folders } from "./paths.js";
import { GUEST_TOOLS, MEMBER_TOOLS } from "./role-defaults.js";
import { seconds } from "./seconds.js";

/** As a URL would have it, so that both can be compared letter by letter; null if it is none. */
function hostAndPort(written: string): string | null {
  const [, host = "", port = ""] = /^([^/?#@*\s]+):(\d{1,5})$/.exec(written) ?? [];
  const url = parsedUrl(`http://${host}/`);
  const isOne = host !== "" && Number(port) >= 1 && Number(port) <= 65_535;
  return isOne && url ? `${url.hostname}:${Number(port)}` : null;
}

const HOST: Takes = {
  is: "text",
  mayBeEmpty: true,
  refuse: (written) =>
    hostAndPort(written) === null ? "name a host with its port, as in nas.local:8080 or [fd00::1]:80" : null,
  spell: (written) => hostAndPort(written) ?? written,
};

const COMMAND: Takes = {
  is: "text",
  pattern: /^[\w./+@:=,%-]+(?: [\w./+@:=,%-]+)*$/,
  error: "give a program and the words after it, without shell characters, such as git status",
};

const NAME: Takes = {
  is: "text",
  pattern: /^[\w-]{1,128}$/,
  error: "name each tool; you cannot name all at once",
};

const NAME_OR_SERVER: Takes = {
  is: "text",
  pattern: /^[\w-]{1,128}\*?$/,
  error: "name each tool, or all of a server as <server>_*",
};

function namesOf(tools: readonly string[]): string {
  return tools.map((name) => `\`${name}\``).join(", ");
}

export const toolSettings = group({
  folders: folders({
    description: "The folders that file tools may use.",
    fallback: "`agent.workdir` alone",
  }),
  fetch: group({
    allowHosts: list(
      [],
      {
        description: "Private addresses that `fetch_url` may reach, as `host:port`.",
        fallback: "none",
      },
      HOST,
    ),
  }),
  terminal: group({
    environment: textOr(
      THIS_MACHINE,
      {
        description: "Where commands run if a call names no other: this machine, or one of `environments`.",
      },
      { pattern: /^[a-z0-9][a-z0-9-]{0,31}$/, error: "give the name of an environment" },
    ),
    maxTimeoutSeconds: seconds(600, { description: "The longest time that a command may ask for." }),
    allow: list(
      null,
      {
        description:
          "Commands that run without a question, such as `git status`; if this is set, Baton asks before all others.",
        fallback: "every command that is not dangerous",
      },
      COMMAND,
    ),
    sandbox: choice(
      ["auto", "required", "off"],
      "auto",
      {
        description:
          "Whether commands run in a sandbox. `auto`: if this machine has one. `required`: without one, Baton runs no command. `off`: never.",
      },
      "use auto, required or off",
    ),
    network: choice(
      ["on", "off"],
      "on",
      {
        description:
          "Whether commands in the sandbox reach the network, this machine's own services included.",
      },
      "use on or off",
    ),
  }),
  ask: list(
    [],
    {
      description:
        "Tools that Baton asks about before each call, such as `fetch_url`; `<server>_*` means all tools of an MCP server.",
      fallback: "none",
    },
    NAME_OR_SERVER,
  ),
  guests: list(null, { description: "The tools of guests, by name.", fallback: namesOf(GUEST_TOOLS) }, NAME),
  members: list(
    null,
    { description: "The tools of members, by name.", fallback: namesOf(MEMBER_TOOLS) },
    NAME,
  ),
  byPlatform: eachPlatform(
    list(
      null,
      { description: "On this platform nobody has other tools, with any role.", fallback: "all" },
      NAME,
    ),
  ),
  byPerson: each(
    A_PERSON,
    personNames,
    list(
      null,
      {
        description: "The tools of one person, on all their linked accounts, instead of those of their role.",
        fallback: "those of their role",
      },
      NAME,
    ),
  ),
});
