// docs/cli.md: every command of `baton`, from the command table.
import { exampleLine, type Verb } from "../src/cli/verb.js";
import { baton } from "../src/cli/verbs/verbs.js";

export function cliPage(): string {
  const verbs = baton.verbs ?? [];
  const overview = verbs.map(
    ({ name, description }) => `| [\`${name}\`](#baton-${name}) | ${cell(description)} |`,
  );
  const sections = verbs.flatMap((verb) => sectionsOf(verb, "baton", "##"));
  return `${INTRODUCTION}
| command | what it does |
| --- | --- |
${overview.join("\n")}

${sections.join("\n")}`;
}

function sectionsOf(verb: Verb, above: string, heading: string): string[] {
  const path = `${above} ${verb.name}`;
  return [
    `${heading} ${path}\n\n${partsOf(verb, path).join("\n\n")}\n`,
    ...(verb.verbs ?? []).flatMap((each) => sectionsOf(each, path, "###")),
  ];
}

function partsOf(
  { description, args = [], options = [], notes, examples = [], verbs, run }: Verb,
  path: string,
) {
  const values = [
    ...args.map((each) => ({ ...each, shown: each.name })),
    ...options.map((each) => ({ ...each, shown: each.flags })),
  ];
  const usage = [path, ...args.map(({ name }) => name), ...(options.length > 0 ? ["[options]"] : [])].join(
    " ",
  );
  const rows = values.map(
    (each) => `| \`${cell(each.shown)}\` | ${cell(`${each.description}${furtherWords(each)}`)} |`,
  );
  return [
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    ...(run
      ? [
          `\`\`\`sh\n${[usage, ...examples.map(exampleLine).filter((each) => each !== path)].join("\n")}\n\`\`\``,
        ]
      : []),
    ...(run || !verbs ? [] : [`Commands: ${verbs.map(({ name }) => `\`${name}\``).join(", ")}.`]),
    ...(rows.length > 0 ? [`| takes | meaning |\n| --- | --- |\n${rows.join("\n")}`] : []),
    ...(notes === undefined ? [] : [notes.includes("\n") ? `\`\`\`\n${notes}\n\`\`\`` : notes]),
  ];
}

/** What commander adds to the help by itself. */
function furtherWords(value: { choices?: readonly string[]; default?: unknown; required?: true }): string {
  const choices = value.choices ? `: ${value.choices.map((each) => `\`${each}\``).join(", ")}` : "";
  const preset = value.default === undefined ? "" : ` (default: ${value.default})`;
  return `${choices}${preset}${value.required ? " (required)" : ""}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

const INTRODUCTION = `<!-- Made from src/cli/verbs/ by \`npm run docs\`; change it there. -->

# Command line

\`baton\` with no command starts a chat in the terminal, and \`baton "your question"\` asks one question
([scripts](scripts.md)). \`baton <command> --help\` shows one command, and
\`baton --version\` the version. The exit code is 0 if the command worked, 1 if it failed and 2 if you typed it wrong. With
\`--json\` the result is JSON on stdout, and an error is JSON on stderr: \`{ "error": { "code", "message" } }\`.
`;
