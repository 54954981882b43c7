/** `baton config check`: every mistake in the configuration, with its place. */
import { problemText } from "../../config/problem.js";
import { printableText } from "../../util/text.js";
import { counted } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { CliError } from "../failure.js";

export async function check(
  { terminal, environment, workingFolder }: Cli,
  options: { json?: boolean },
): Promise<void> {
  const { checkConfig } = await import("../../config/check.js");
  const { problems, warnings } = await checkConfig(environment, workingFolder);
  if (options.json) terminal.json({ ok: problems.length === 0, problems, warnings });
  else {
    for (const each of [...problems, ...warnings]) terminal.line(printableText(problemText(each)));
    if (problems.length === 0)
      terminal.line(
        warnings.length === 0 ? "The configuration is valid." : "The configuration is valid, with warnings.",
      );
  }
  if (problems.length > 0) {
    throw new CliError("invalid_config", `Fix the ${counted(problems.length, "mistake")} above.`);
  }
}
