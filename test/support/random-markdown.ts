/**
 * Markdown documents at random, of every part that Markdown has, in one another, and of everything that has broken a
 * renderer. Made from seeds by hand, since ten thousand of them by combinators would take a minute; a document that
 * fails shrinks block by block.
 */
import fc from "fast-check";
import { randomFrom } from "./random.mjs";

const WORDS = [
  "tea",
  "snake_case_name",
  "2*3*4",
  "日本語",
  "漢字。",
  "👩‍👩‍👧",
  "e\u0301",
  "שלום",
  "\u202eabc\u202c",
  "x",
  "1",
  "don't",
];
const ODD = [
  ...[
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "```",
    ">",
    "#",
    "-",
    "+",
    "1.",
    "|",
    "||",
    "[",
    "]",
    "](",
    "\\",
    "<",
    "&",
    "!",
  ],
  ...["<b>", "</p>", "<script>alert(1)</script>", "<!-- c -->", "&amp;", "&lt;b&gt;", "&#42;x&#42;"],
  ...[
    "@everyone",
    "@here",
    "@room",
    "<@123>",
    "<@U1>",
    "<#C1>",
    "<!channel>",
    "<!here>",
    "<:smile:1>",
    "tg://user?id=1",
  ],
  ...[
    "\u0000",
    "\u001b[2J",
    "\u0007",
    "\u200b",
    "\u2060",
    "\ud83d",
    "\u00a0",
    '"',
    "'",
    "(",
    ")",
    "$(sh)",
    "%s",
  ],
  ...[
    "\\*x\\*",
    "\\_x\\_",
    "\\~x\\~",
    "\\`x\\`",
    "\\*\\*x",
    "*x",
    "x*",
    "_x",
    "x_",
    "~5 to ~6",
    "\\> x",
    "\\# x",
    "\\- x",
    "1\\. x",
  ],
];
const URLS = [
  "https://example.org/a_b_c",
  "https://example.org/?a=1&b=<2>",
  "http://x.y/_z_",
  "https://example.org/a_(b)",
  'https://example.org/"x"',
  "<https://example.org/a b|c>",
  "https://例え.jp/漢字",
  "mailto:ann@example.org",
  "javascript:alert(1)",
  "!channel",
  "notes.md",
  "",
];
const LANGUAGES = ["", "ts", "c++", 'a"b', "<b>", "x y"];

class Writer {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  under(max: number): number {
    return Math.floor(this.#random() * max);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.under(from.length)] as T;
  }

  block(depth = 0): string {
    const line = (): string => this.line(depth);
    const kinds: (() => string)[] = [
      line,
      line,
      () => `${"#".repeat(1 + this.under(6))} ${line()}`,
      () => `${line()}\n${this.pick(["===", "---"])}`,
      () => this.#fence(),
      () => this.#table(),
      // A list right after it is read in two ways by the parser.
      () => `${prefixed(line(), "    ", "    ")}\n\n${this.pick(WORDS)}`,
      () =>
        this.pick([
          "---",
          "<div>\nx\n</div>",
          "[r]: https://example.org/r",
          "[^1]: a *note*",
          "``` open",
          "<!-- -->",
        ]),
      ...(depth < 2 ? [() => this.#quote(depth), () => this.#list(depth), () => this.#list(depth)] : []),
    ];
    return this.pick(kinds)();
  }

  #blocks(depth: number): string {
    const count = 1 + this.under(2);
    return Array.from({ length: count }, () => this.block(depth + 1)).join(this.pick(["\n\n", "\n"]));
  }

  #quote(depth: number): string {
    return prefixed(this.#blocks(depth), "> ", "> ");
  }

  #list(depth: number): string {
    const marker = this.pick(["- ", "* ", "1. ", "7) ", "- [ ] ", "- [x] "]);
    const items = Array.from({ length: 1 + this.under(3) }, () =>
      prefixed(this.#blocks(depth), marker, " ".repeat(marker.length)),
    );
    return items.join(this.pick(["\n", "\n", "\n\n"]));
  }

  #fence(): string {
    const mark = this.pick(["```", "````", "~~~"]);
    const lines = Array.from({ length: this.under(4) }, () =>
      this.pick([this.line(), "```", "", "  `` ` ``", "<!channel>"]),
    );
    return [mark + this.pick(LANGUAGES), ...lines.filter((each) => !each.startsWith(mark)), mark].join("\n");
  }

  #table(): string {
    const columns = 1 + this.under(3);
    const row = (cell: () => string): string => `| ${Array.from({ length: columns }, cell).join(" | ")} |`;
    const cells = (): string => row(() => this.inline(1).replaceAll("\n", " "));
    return [
      cells(),
      row(() => this.pick(["---", ":-:", "--:"])),
      ...Array.from({ length: this.under(3) }, cells),
    ].join("\n");
  }

  line(depth = 0): string {
    return Array.from({ length: 1 + this.under(depth > 0 ? 2 : 4) }, () => this.inline()).join(
      this.pick([" ", " ", "", "\n", "  \n"]),
    );
  }

  inline(depth = 0): string {
    const inner = (): string => this.inline(depth + 1);
    switch (this.under(depth > 2 ? 5 : 12)) {
      case 0:
      case 1:
      case 2:
        return this.pick(WORDS);
      case 3:
        return this.pick(ODD);
      case 4:
        return this.pick([
          `\`${this.pick(WORDS)}\``,
          `\`\`${this.pick(ODD)} \` x\`\``,
          `\`${this.pick(ODD)}\``,
        ]);
      case 5:
        return `**${inner()}**`;
      case 6:
        return this.pick([`*${inner()}*`, `_${inner()}_`, `***${inner()}***`]);
      case 7:
        return `~~${inner()}~~`;
      case 8:
        return this.pick([`[${inner()}](${this.pick(URLS)})`, `<${this.pick(URLS)}>`, this.pick(URLS)]);
      case 9:
        return this.pick([
          `![${inner()}](${this.pick(URLS)})`,
          `[${inner()}][r]`,
          `![${inner()}][r]`,
          "[^1]",
        ]);
      case 10:
        return `${inner()}${inner()}`;
      default:
        return `${inner()} ${inner()}`;
    }
  }
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, n) => (n === 0 ? first : others) + line)
    .join("\n");
}

function documents(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const seeds = fc.array(fc.nat(), { minLength, maxLength });
  return seeds.map((all) => all.map((seed) => new Writer(seed).block()).join("\n\n"));
}

/** Small ones: most of what goes wrong goes wrong in a few lines. */
export const aDocument = documents(1, 2);
/** Of one or several blocks, to be cut between them and inside of them. */
export const aDocumentToCut = documents(1, 4);
/** Longer than what a platform takes at once, where that is little. */
export const aLongDocument = documents(15, 30);
