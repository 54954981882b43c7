// docs/config.md: every key of the configuration, from the schema.
import { z } from "zod";
import { type ConfigKey, keysOf } from "../src/config/keys.js";
import { homeFile, projectFile } from "../src/config/schema.js";

export function configPage(): string {
  const inProject = new Set(keysOf(projectFile).map(nameOf));
  const rows = keysOf(homeFile).map((key) => [
    `\`${nameOf(key)}\``,
    key.meta.description ?? "",
    typeText(z.toJSONSchema(key.schema, { io: "input" })),
    key.meta.fallback ?? `\`${String(key.meta.default)}\``,
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

Nothing needs to be configured. What is set counts in this order, the strongest first, key by key:

1. environment variables;
2. \`config.yaml\` in the home folder (\`~/.baton\`, or \`BATON_HOME\`): yours, and it may set everything;
3. \`baton.yaml\` in the working folder: what a project suggests. It never decides who is let in or where things are kept;
4. the defaults.

\`\`\`sh
npx baton config show        # every value and where it came from
npx baton config path        # the files, the strongest first
npx baton config check       # every mistake, with file and line; exit code 1 where there is one
npx baton config set reset.default.mode daily    # comments in the file stay; --unset takes a key away
npx baton config schema      # JSON Schema for editors; --project for baton.yaml
\`\`\`

Unknown keys and values that cannot be meant are refused with file, line and the nearest known key; nothing runs until
they are mended.

## Keys
`;

const REST = `
A variable's name is the key's: \`agent.maxMessages\` is \`BATON_AGENT_MAX_MESSAGES\`. An empty variable counts as absent.
One that begins with \`BATON_\` and is no key's changes nothing; \`baton config check\` and \`baton doctor\` warn of it, with the nearest that is.
Paths in \`config.yaml\` count from the home folder, in variables from the working folder; \`~/\` is the user's folder.

## People

\`\`\`yaml
people:
  allow:
    telegram: [123456789, "987654321"]
    matrix: ["@alice:example.org"]
  owners:
    telegram: [555555555]
\`\`\`

\`allow\` lists members; [people](people.md) says what owners, members and guests may do, and how to let somebody in
without touching this file.

Ids are compared exactly, and names are not ids. An empty list, and a platform that is not listed, let nobody in. The
terminal's user is the owner and needs no entry. Put an id in quotes unless it is a plain number.

## Secrets

A secret never stands in a config file. Write \`{ file: <path> }\` and put it in that file, which nobody else may be able
to read (\`chmod 600\`); or set the key's variable. A store on PostgreSQL that needs a password:

\`\`\`yaml
store: { file: store-url }    # ~/.baton/store-url holds postgres://user:password@host/db
\`\`\`

Secrets are read when they are needed, and kept out of \`config show\`, logs and errors, which say
\`postgres://user:***@host/db\`.
`;
