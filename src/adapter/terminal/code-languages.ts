/** What the common languages write as comments, strings and keywords: as much as colours need, and no grammar. */

/** An opening and what closes it, perhaps some lines later. */
export type Brackets = readonly [open: string, close: string];

export interface CodeLanguage {
  /** What makes the rest of the line a comment. */
  readonly lineComments: readonly string[];
  readonly blockComments: readonly Brackets[];
  /** Quotes of strings that end with their line. */
  readonly quotes: string;
  readonly longStrings: readonly Brackets[];
  /** In small letters if case does not matter. */
  readonly keywords: ReadonlySet<string>;
  readonly ignoresCase: boolean;
}

interface LanguageWords extends Partial<Omit<CodeLanguage, "keywords">> {
  /** All names of the language that stand behind a fence. */
  readonly names: string;
  readonly keywords?: string;
}

const C_COMMENTS = { lineComments: ["//"], blockComments: [["/*", "*/"]] } as const;
const HASH = { lineComments: ["#"] } as const;
const C_WORDS =
  "break case catch class const continue default do else enum extends false final finally for if implements import in interface new null private protected public return static super switch this throw true try void while";

const LANGUAGES: readonly LanguageWords[] = [
  {
    names: "js javascript jsx mjs cjs ts typescript tsx",
    ...C_COMMENTS,
    quotes: `"'`,
    longStrings: [["`", "`"]],
    keywords: `${C_WORDS} abstract any as async await boolean constructor debugger declare delete export from function get infer instanceof is keyof let namespace never number object of override readonly satisfies set string symbol type typeof undefined unknown var with yield`,
  },
  {
    names: "c h cpp c++ cc hpp objc cs csharp c# java kotlin kt scala groovy dart",
    ...C_COMMENTS,
    quotes: `"'`,
    longStrings: [['"""', '"""']],
    keywords: `${C_WORDS} abstract assert async auto await base bool boolean byte char companion constexpr data def delegate delete double dynamic explicit extern float fun get goto inline int internal is lateinit let long namespace native noexcept nullptr object operator out override package params readonly record ref sealed set short signed sizeof string struct suspend synchronized template throws trait transient typedef typename union unsigned using val var virtual volatile when where with yield`,
  },
  {
    names: "go golang",
    ...C_COMMENTS,
    quotes: `"'`,
    longStrings: [["`", "`"]],
    keywords:
      "any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint uint64 var",
  },
  {
    names: "rust rs swift zig",
    ...C_COMMENTS,
    quotes: '"',
    longStrings: [['"""', '"""']],
    keywords:
      "as async await bool break case catch class comptime const continue crate default defer do dyn else enum extension extern false fn for func guard i32 i64 if impl import in init inout let loop match mod move mut nil none pub ref return self Self some static str String struct super switch test throw throws trait true try type u32 u64 u8 undefined union unsafe use usize var where while",
  },
  {
    names: "php",
    lineComments: ["//", "#"],
    blockComments: [["/*", "*/"]],
    quotes: `"'`,
    keywords: `${C_WORDS} abstract array as echo elseif endforeach endif fn foreach function global include isset match namespace readonly require require_once trait use var yield`,
  },
  {
    names: "python py python3 pycon",
    ...HASH,
    quotes: `"'`,
    longStrings: [
      ['"""', '"""'],
      ["'''", "'''"],
    ],
    keywords:
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  },
  {
    names: "ruby rb elixir ex exs crystal",
    ...HASH,
    quotes: `"'`,
    keywords:
      "alias and begin break case class cond def defmodule defp do else elsif end ensure false fn for if in module next nil not or raise redo require rescue retry return self super then true undef unless until use when while with yield",
  },
  {
    names: "sh bash zsh shell console shellsession fish dockerfile docker make makefile",
    ...HASH,
    quotes: `"'`,
    keywords:
      "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER VOLUME WORKDIR alias break case cd continue do done elif else end esac exit export false fi for function if in local read return set shift source sudo test then trap true unset until while",
  },
  {
    names: "yaml yml toml ini conf properties",
    lineComments: ["#", ";"],
    quotes: `"'`,
    longStrings: [['"""', '"""']],
    keywords: "false no null off on true yes",
  },
  { names: "json json5 jsonc jsonl ndjson", ...C_COMMENTS, quotes: `"'`, keywords: "false null true" },
  {
    names: "sql postgres postgresql mysql sqlite",
    lineComments: ["--"],
    blockComments: [["/*", "*/"]],
    quotes: `'"`,
    ignoresCase: true,
    keywords:
      "add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with",
  },
  {
    names: "lua",
    lineComments: ["--"],
    blockComments: [["--[[", "]]"]],
    quotes: `"'`,
    longStrings: [["[[", "]]"]],
    keywords:
      "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
  },
  { names: "css scss less", ...C_COMMENTS, quotes: `"'`, keywords: "from important inherit initial none to" },
  { names: "html xml svg vue svelte", blockComments: [["<!--", "-->"]], quotes: `"'` },
];

const BY_NAME: ReadonlyMap<string, CodeLanguage> = new Map(
  LANGUAGES.flatMap(({ names, keywords = "", ...rest }) => {
    const language: CodeLanguage = {
      ...{ lineComments: [], blockComments: [], quotes: "", longStrings: [], ignoresCase: false },
      ...rest,
      keywords: new Set(keywords.split(" ")),
    };
    return names.split(" ").map((name) => [name, language] as const);
  }),
);

/** By the word behind the fence; null if it is not known. */
export function codeLanguage(label: string): CodeLanguage | null {
  return BY_NAME.get(label.toLowerCase()) ?? null;
}
