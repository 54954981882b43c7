/** Completion for zsh, with descriptions: verbs, options and short lists of values; else files. */
import { type CompletionName, type CompletionPoint, namesOf, singleQuoted, valueNames } from "./words.js";

export function zshCompletion(places: readonly CompletionPoint[]): string {
  return `#compdef baton
# Completion of baton for zsh. In ~/.zshrc, after compinit: eval "$(baton completion zsh)"
_baton() {
  local at=baton before="" i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    before="\${words[i]}"
    case "$at $before" in
      ${patterns(valueNames(places))}) ((i++)) ;;
      ${patterns(places.slice(1).map(({ path }) => path))}) at="$at $before" ;;
    esac
  done
  if ((i > CURRENT)); then # The value of an option.
    case "$at $before" in
${places.flatMap(valueCases).join("\n")}
    esac
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    case "$at" in
${places
  .map(({ path, options }) =>
    matching(
      [path],
      options.flatMap((option) => namesOf(option).map((name) => ({ ...option, name }))),
    ),
  )
  .join("\n")}
    esac
    _describe -o option offered
    return
  else
    case "$at" in
${places.map(({ path, commands, choices }) => matching([path], [...commands, ...choices.map(undescribed)])).join("\n")}
    esac
  fi
  if ((\${#offered})); then _describe word offered; else _files; fi
}
if [[ "\${funcstack[1]}" == _baton ]]; then _baton "$@"; else compdef _baton baton; fi
`;
}

function valueCases({ path, options }: CompletionPoint): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map((option) =>
      matching(
        namesOf(option).map((name) => `${path} ${name}`),
        option.choices.map(undescribed),
      ),
    );
}

function undescribed(name: string): CompletionName {
  return { name, description: "" };
}

function matching(words: readonly string[], offered: readonly CompletionName[]): string {
  return `      ${patterns(words)}) offered=(${offered.map(described).join(" ")}) ;;`;
}

function described({ name, description }: CompletionName): string {
  const colons = (text: string) => text.replace(/[\\:]/g, "\\$&");
  return singleQuoted(description ? `${colons(name)}:${colons(description)}` : colons(name));
}

function patterns(words: readonly string[]): string {
  return words.map(singleQuoted).join(" | ");
}
