/** Completion for bash: verbs, options and short lists of values; else files. */
import { type CompletionPoint, namesOf, singleQuoted, valueNames } from "./words.js";

export function bashCompletion(places: readonly CompletionPoint[]): string {
  return `# Completion of baton for bash. In ~/.bashrc: eval "$(baton completion bash)"
_baton() {
  local at=baton word="\${COMP_WORDS[COMP_CWORD]}" before="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    before="\${COMP_WORDS[i]}"
    case "$at $before" in
      ${patterns(valueNames(places))}) ((i++)) ;;
      ${patterns(places.slice(1).map(({ path }) => path))}) at="$at $before" ;;
    esac
  done
  COMPREPLY=()
  if ((i > COMP_CWORD)); then # The value of an option.
    case "$at $before" in
${places.flatMap(valueCases).join("\n")}
    esac
  elif [[ $word == -* ]]; then
    case "$at" in
${places.map(({ path, options }) => matching([path], options.flatMap(namesOf))).join("\n")}
    esac
  else
    case "$at" in
${places.map(({ path, commands, choices }) => matching([path], [...commands.map(({ name }) => name), ...choices])).join("\n")}
    esac
  fi
  [[ -z $words ]] || while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -W "$words" -- "$word")
}
complete -o default -F _baton baton
`;
}

function valueCases({ path, options }: CompletionPoint): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map((option) =>
      matching(
        namesOf(option).map((name) => `${path} ${name}`),
        option.choices,
      ),
    );
}

function matching(words: readonly string[], offered: readonly string[]): string {
  return `      ${patterns(words)}) words=${singleQuoted(offered.join(" "))} ;;`;
}

function patterns(words: readonly string[]): string {
  return words.map(singleQuoted).join(" | ");
}
