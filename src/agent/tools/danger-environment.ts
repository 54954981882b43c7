/** Variables that change what other programs run, and their harmless values. */

const NAMES =
  /^(?:LD_\w+|DYLD_\w+|BASH_ENV|BASH_FUNC_.*|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|GIT_\w+|PAGER|\w+_PAGER|MANPAGER|EDITOR|VISUAL|\w+_EDITOR|BROWSER|LESSOPEN|LESSCLOSE|LESS|NODE_OPTIONS|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|MAKEFILES|MFLAGS|TAR_OPTIONS|ZIPOPT|RSYNC_RSH|RSYNC_CONNECT_PROG|SSH_ASKPASS|SUDO_ASKPASS|GCONV_PATH|HOME|XDG_\w+|RUSTC_WRAPPER|RUSTC|CARGO_\w*RUNNER|GOFLAGS|npm_config_\w*(?:shell|prefix|node_options|config)\w*|HISTFILE|BATON_\w+)$/i;

const HARMLESS_NAMES =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|TRACE\w*|MERGE_AUTOEDIT|OPTIONAL_LOCKS|LITERAL_PATHSPECS)$/;
const HARMLESS_VALUES = /^(?:|cat|true|:|0|1|less|more)$/;
const HARMLESS_NODE =
  /^(?:--(?:max-old-space-size=\d+|no-warnings|no-deprecation|enable-source-maps|trace-[\w-]+|experimental-vm-modules|stack-trace-limit=\d+)\s*)*$/;

/** Why Baton should ask about setting a variable; null if it need not. */
export function dangerOfSetting(name: string, value: string): string | null {
  if (name === "PATH") return /(?:^|:)\/(?:var\/)?tmp\/|(?:^|:)\/dev\/shm/.test(value) ? changes(name) : null;
  if (!NAMES.test(name) || HARMLESS_NAMES.test(name)) return null;
  if (name === "NODE_OPTIONS" ? HARMLESS_NODE.test(value) : HARMLESS_VALUES.test(value)) return null;
  return changes(name);
}

/** The same for a word such as `NAME=value`. */
export function dangerOfSettingWord(text: string): string | null {
  const [, name, value] = /^(\w+)\+?=([\s\S]*)$/.exec(text) ?? [];
  return name === undefined || value === undefined ? null : dangerOfSetting(name, value);
}

function changes(name: string): string {
  return `sets the variable ${name}, which changes what other programs run`;
}
