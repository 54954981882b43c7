import { Command } from "commander";
import { describe, expect, test } from "vitest";
import type { Cli } from "../cli.js";
import { fill } from "../command.js";
import { meantLine } from "../first-word.js";
import type { Verb } from "../verb.js";
import { baton } from "./verbs.js";

interface Row {
  readonly path: string;
  readonly verb: Verb;
}

function rowsOf(verb: Verb, above = ""): Row[] {
  const path = `${above}${verb.name}`;
  return [{ path, verb }, ...(verb.verbs ?? []).flatMap((each) => rowsOf(each, `${path} `))];
}

/** The same table, where each verb only says that it was asked for. */
function recording(verb: Verb, asked: string[], above = ""): Verb {
  const path = `${above}${verb.name}`;
  const verbs = (verb.verbs ?? []).map((each) => recording(each, asked, `${path} `));
  const run = async () => () => void asked.push(path);
  return { ...verb, verbs, ...(verb.run ? { run } : {}) };
}

const rows = rowsOf(baton);

describe("the command table", () => {
  test.each(rows.filter(({ verb }) => verb.run))("$path can be run", async ({ verb }) => {
    expect(await verb.run?.()).toBeTypeOf("function");
  });

  test("a row either runs or has verbs of its own", () => {
    expect(rows.filter(({ verb }) => !verb.run && !verb.verbs)).toEqual([]);
  });

  test.each(rows.flatMap(({ verb }) => (verb.examples ?? []).map((example) => ({ example }))))(
    "baton $example is a command",
    async ({ example }) => {
      const typed = example.replace(/^.* \| baton /, "").replace(/ > .*/, "");
      const words = [...typed.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
        ([, single, double, bare]) => single ?? double ?? bare ?? "",
      );
      const asked: string[] = [];
      const program = new Command("baton").exitOverride().configureOutput({ outputError: () => {} });
      fill(program, recording(baton, asked), {} as Cli);
      const meant = meantLine(words, baton.verbs ?? []);
      if (meant.kind === "doubtful") return expect.fail(meant.word);
      await program.parseAsync(meant.words, { from: "user" });
      expect(asked).toHaveLength(1);
      expect(`baton ${meant.words.join(" ")} `.startsWith(`${asked[0]} `)).toBe(true);
    },
  );

  test.each(rows)("the help of $path fits a terminal of 80 columns", async ({ path }) => {
    let help = "";
    const writeOut = (text: string) => {
      help += text;
    };
    const program = new Command("baton")
      .exitOverride()
      .configureOutput({ writeOut, getOutHelpWidth: () => 80, getOutHasColors: () => false });
    fill(program, baton, {} as Cli);
    const words = path.split(" ").slice(1);
    await expect(program.parseAsync([...words, "--help"], { from: "user" })).rejects.toThrow("outputHelp");
    const isCopied = (line: string) => line.startsWith("  $ ") || /\S {2}/.test(line);
    expect(help.split("\n").filter((line) => line.length > 80 && !isCopied(line))).toEqual([]);
  });
});
