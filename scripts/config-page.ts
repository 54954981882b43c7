// docs/config.md: every key of the configuration, from the schema.
import { z } from "zod";
import { type ConfigKey, keysOf } from "../src/config/keys.js";
import { homeFile, projectFile } from "../src/config/schema.js";
import { settingSchema } from "../src/config/zod.js";

export function configPage(): string {
  const inProject = new Set(keysOf(projectFile).map(nameOf));
  const rows = keysOf(homeFile).map((key) => [
    `\`${nameOf(key)}\``,
    key.setting.description,
    typeText(z.toJSONSchema(settingSchema(key.setting), { io: "input" })),
    key.setting.fallback ?? `\`${String(key.setting.default)}\``,
    inProject.has(nameOf(key)) ? "home, project" : "home",
    key.variable === null ? "" : `\`${key.variable}\``,
  ]);
  return `${INTRODUCTION}
${table(["key", "meaning", "takes", "default", "set in", "variable"], rows)}
${REST}`;
}

function nameOf(key: ConfigKey): string {
  return key.path.join(".");
}

/** What a key takes, in a few words. */
function typeText(schema: z.core.JSONSchema._JSONSchema): string {
  if (typeof schema === "boolean") return "anything";
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(" or ");
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  switch (schema.type) {
    case "string":
      return "text";
    case "integer":
      return "whole number";
    case "boolean":
      return "`true`, `false`";
    case "array":
      return typeof schema.items === "object" && "anyOf" in schema.items ? "list of ids" : "list of texts";
    case "object":
      return `\`{ ${Object.keys(schema.properties ?? {}).join(", ")} }\``;
    default:
      return String(schema.type);
  }
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}

const INTRODUCTION = `<!-- Made from src/config/schema.ts by \`npm run docs\`; change it there. -->

# Configuration

Baton works without any configuration. If you set a key in several places, the first of these counts:

1. environment variables;
2. \`config.yaml\` in the home folder (\`~/.baton\`, or \`BATON_HOME\`): yours, and it may set everything;
3. \`baton.yaml\` in the working folder: what a project suggests. It cannot decide who may talk to the agent or where data is stored;
4. the defaults.

\`\`\`sh
npx baton config show        # every value and where it comes from
npx baton config path        # the files, in the order in which they count
npx baton config check       # every mistake, with file and line; exit code 1 if there is one
npx baton config set reset.default.mode daily    # keeps the comments in the file; --unset removes a key
npx baton config schema      # JSON Schema for editors; --project for baton.yaml
\`\`\`

Baton refuses unknown keys and impossible values, and names the file, the line and the nearest known key. Nothing runs until you
fix them.

## Keys
`;

const REST = `
The name of a variable follows from the key: \`agent.maxMessages\` is \`BATON_AGENT_MAX_MESSAGES\`. An empty variable counts as not
set. If a variable begins with \`BATON_\` and belongs to no key, it changes nothing; \`baton config check\` and \`baton doctor\` warn
about it and suggest the nearest name. Relative paths in \`config.yaml\` start at the home folder, and in variables at the working
folder; \`~/\` is the user's folder.

## People

\`\`\`yaml
people:
  allow:
    telegram: [123456789, "987654321"]
    matrix: ["@alice:example.org"]
  owners:
    telegram: [555555555]
\`\`\`

\`allow\` lists members. [People](people.md) says what owners, members and guests may do, and how to let somebody in
without changing this file.

Baton compares ids exactly, and names are not ids. An empty list lets nobody in, and neither does a platform that is not listed. The
user of the terminal is the owner and needs no entry. Put an id in quotes unless it is a plain number.

## Secrets

Do not write a secret into a config file. Write \`{ file: <path> }\` and put the secret into that file, which only you may be able
to read (\`chmod 600\`), or set the variable of the key. For example, a store on PostgreSQL that needs a password:

\`\`\`yaml
store: { file: store-url }    # ~/.baton/store-url holds postgres://user:password@host/db
\`\`\`

Baton reads secrets when it needs them. \`config show\`, logs and errors do not show them; they say
\`postgres://user:***@host/db\`.
`;
