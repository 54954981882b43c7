/**
 * A long answer in pieces that a platform takes, beside one bare parse of the whole: to know how long a piece is, it has
 * to be parsed and rendered, so this says how often that is done.
 */
import { randomFrom } from "../../test/support/random.mjs";
import { textOf } from "../corpus.js";
import { interleave } from "../measure.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const LENGTH = 20_000;
const MAX = 2_000;

const { split } = (await import(built("delivery/split.js"))) as typeof import("../../src/delivery/split.js");
const { parseMarkdown } = (await import(
  built("adapter/markdown/read.js")
)) as typeof import("../../src/adapter/markdown/read.js");
const { formatMarkdown } = (await import(
  built("adapter/discord/format.js")
)) as typeof import("../../src/adapter/discord/format.js");

export async function splitting({ sizes, rounds }: Bench): Promise<Outcome> {
  // Another answer each time: what was parsed of late is remembered.
  const answers = Array.from({ length: 2 * (rounds + 1) * sizes.splits }, (_, seed) => longAnswer(seed));
  const next = () => answers.pop() ?? "";
  const room = { max: MAX, lengthOf: (text: string) => formatMarkdown(text).length };
  const steps = [() => split(next(), room), () => parseMarkdown(next())];
  const [ours = Number.NaN, raw = Number.NaN] = await interleave(steps, rounds, sizes.splits);
  return {
    lines: [
      {
        what: `split of ${LENGTH} characters of Markdown, pieces of ${MAX}; raw: parsed`,
        ours,
        raw,
        unit: "ms",
      },
    ],
    targets: [{ what: "split, of one bare parse", value: ours / raw, atMost: 3, unit: "×" }],
  };
}

/** Everything that models write, again and again. */
function longAnswer(seed: number): string {
  const random = randomFrom(seed);
  let text = "";
  for (let n = 0; text.length < LENGTH; n++) {
    const words = textOf(random, n, LENGTH).split(" ");
    const [first, second, ...rest] = words;
    text += [
      `## ${first} ${second}\n\n`,
      `${words.join(" ")} with **${first}** and [${second}](https://example.org/${first}/${second}).\n\n`,
      `${rest.map((word) => `- ${word} \`${first}\``).join("\n")}\n\n`,
      `\`\`\`ts\n${rest.map((word) => `const ${word} = ["${first}", 1];`).join("\n")}\n\`\`\`\n\n`,
      `| ${first} | ${second} |\n|---|---|\n${rest.map((word) => `| ${word} | ${first} |`).join("\n")}\n\n`,
    ][n % 5];
  }
  return text.slice(0, LENGTH);
}

function built(path: string): string {
  return new URL(`../../dist/${path}`, import.meta.url).href;
}
