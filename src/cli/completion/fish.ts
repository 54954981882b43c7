/** Completion for fish, with descriptions: verbs, options and short lists of values; else files. */
import { type CompletionPoint, type OptionName, valueNames } from "./words.js";

export function fishCompletion(places: readonly CompletionPoint[]): string {
  return `# Completion of baton for fish. Into ~/.config/fish/completions/baton.fish: baton completion fish
function __baton_at
    set -l at baton
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$at $word"
            case ${valueNames(places).map(quoted).join(" ")}
                set skip 1
            case ${places
              .slice(1)
              .map(({ path }) => quoted(path))
              .join(" ")}
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
${places.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, commands, options, choices }: CompletionPoint): string[] {
  const here = `complete -c baton -n ${quoted(`__baton_at ${path}`)}`;
  return [
    ...commands.map(({ name, description }) => `${here} -f -a ${quoted(name)} -d ${quoted(description)}`),
    ...choices.map((choice) => `${here} -f -a ${quoted(choice)}`),
    ...options.map((option) => `${here} ${optionFlags(option)} -d ${quoted(option.description)}`),
  ];
}

function optionFlags({ name, short, takesValue, choices }: OptionName): string {
  const long = name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  const both = short ? `-s ${short.slice(1)} ${long}` : long;
  if (choices.length > 0) return `${both} -x -a ${quoted(choices.join(" "))}`;
  return takesValue ? `${both} -r` : both;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
