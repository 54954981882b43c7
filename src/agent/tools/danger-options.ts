/**
 * Programs that can run other programs: with an option, or always. Other rules cover what each program does itself;
 * both apply.
 */
import { has, joined, type Look } from "./danger-words.js";
import type { Word } from "./shell-words.js";

const BY_OPTION: Readonly<Record<string, RegExp>> = {
  tar: /^--(?:checkpoint-action|to-command|use-compress-program|rsh-command|info-script|new-volume-script)|^-I|^-F|^--absolute-names|^-[a-zA-Z]*P/,
  find: /^-(?:fprint|fprint0|fprintf|fls)$/,
  ssh: /proxycommand|localcommand|knownhostscommand|^-[FSI]/,
  scp: /proxycommand|^-[SFD]/,
  sftp: /proxycommand|^-[SFDb]/,
  rsync: /^-[a-zA-Z]*e|^--rsh|^--rsync-path/,
  zip: /^-TT|^--unzip-command/,
  split: /^--filter/,
  sort: /^--compress-program/,
  wget: /^--use-askpass|^--config|^-e$|^--execute/,
  curl: /^-K|^--config|^-[a-zA-Z]*q?K/,
  make: /^--eval|^-E|^SHELL=|^(?:-f)?-$|^--(?:make)?file=-$|^\.SHELLFLAGS=/,
  cmake: /^-P/,
  ctest: /^-S/,
  less: /^\+|^-[a-zA-Z]*[kKo]|^--lesskey/,
  more: /^\+/,
  man: /^-[a-zA-Z]*[PH]|^--pager|^--html/,
  sed: /^-[a-zA-Z]*f|^--file/,
  nmap: /^--script|^--interactive/,
  openssl: /^engine$|^-engine|^-provider/,
  go: /^--?exec|^--?toolexec|^--?vettool|@|^https?:/,
  cargo: /^--config|^install$/,
  npm: /^--script-shell|^exec$|^x$|^--node-options|^set$|^(?:git|https?|file):|\.tgz$/,
  yarn: /^dlx$|^exec$|^(?:git|https?|file):|\.tgz$/,
  pnpm: /^dlx$|^exec$|^(?:git|https?|file):|\.tgz$/,
  bun: /^x$/,
  npx: /^-(?:y|p|c)$|^--(?:yes|package|call)|^(?:git|https?|file):|^github:|\.tgz$/,
  uv: /^x$|^tool$/,
  pip: /^(?:git|hg|svn|bzr)\+|^https?:|^file:|^--(?:index-url|extra-index-url|trusted-host|find-links)|^-[if]$/,
  pip3: /^(?:git|hg|svn|bzr)\+|^https?:|^file:|^--(?:index-url|extra-index-url|trusted-host|find-links)|^-[if]$/,
  pipx: /^run$|^install$/,
  gem: /^install$|^exec$/,
  apt: /^-o|^-c|^--option|^--config-file/,
  "apt-get": /^-o|^-c|^--option|^--config-file/,
  dpkg: /^-[a-zA-Z]*i|^--install|^--unpack|^--configure|^-r|^-P|^--purge|^--remove/,
  rpm: /^-[a-zA-Z]*[iUFe]|^--(?:eval|define|pipe|install|upgrade|erase|import)/,
  strace: /^(?:-o|--output=)?\|/,
  ...each("tex latex pdflatex xelatex lualatex", /shell-escape|enable-write18/),
  ...each("gcc g++ cc c++ clang clang++", /^-wrapper|^-fplugin|^-specs|^-B|^-Xclang$|^@/),
  shopt: /expand_aliases/,
  hash: /^-p/,
  complete: /^-[CF]/,
  systemctl: /^(?:link|start|import-environment|set-environment|revert)$/,
  loginctl: /^(?:terminate|kill|enable|disable|lock)/,
  svn: /^--(?:diff-cmd|diff3-cmd|editor-cmd|config-option|config-dir)/,
  hg: /^--config/,
  ip: /^(?:exec|netns)$/,
  gpg: /^--export-secret|^--delete|^--import|^--gen|^--quick/,
  pgrep: /baton/i,
  pidof: /baton/i,
};
function each(names: string, option: RegExp): Record<string, RegExp> {
  return Object.fromEntries(names.split(" ").map((name) => [name, option]));
}

/** Without a keyboard these are only useful to run something that the command does not show. */
const ALWAYS = new Set(
  "gdb lldb ed ex rvim rview view screen tmux dtach zellij start-stop-daemon run-parts logrotate tcpdump dumpcap tshark xdg-open open systemd-run killall5 bind enable newgrp sg ftp tftp telnet lftp mail mailx mutt uvx bwrap firejail debugfs xterm gnome-terminal konsole wall write".split(
    " ",
  ),
);
const EDITORS = new Set("vi vim nvim gvim vimdiff emacs nano pico joe micro helix hx".split(" "));
const SECRET_KEEPERS = new Set("security secret-tool pass op bw gopass keyctl".split(" "));

/** Why Baton should ask about a program because of what it could run; null if it need not. */
export function dangerOfLaunching(name: string, args: readonly Word[], look: Look): string | null {
  if (SECRET_KEEPERS.has(name) && args.length > 0) return "reads stored passwords or secrets";
  if (isAboutItself(args)) return null;
  if (EDITORS.has(name)) return "starts an editor, which could run other commands";
  if (ALWAYS.has(name)) return `starts ${name}, which could run other commands`;
  if (name === "m4" || name === "dc" || name === "bc")
    return /syscmd|esyscmd|!/.test(`${joined(args)} ${look.input}`)
      ? `runs commands from within ${name}`
      : null;
  const option = Object.hasOwn(BY_OPTION, name) ? BY_OPTION[name] : undefined;
  const isSsh = /^(?:ssh|scp|sftp)$/.test(name); // ssh ignores case in the names of its settings.
  const words = isSsh ? args.map((word) => ({ ...word, text: lowered(word.text) })) : args;
  return option && has(words, option) ? `makes ${name} run other commands or code` : null;
}

function isAboutItself(args: readonly Word[]): boolean {
  return args.length === 1 && /^(?:--?version|--?help|-V|-h|-v)$/.test(args[0]?.text ?? "");
}

function lowered(text: string): string {
  return text.startsWith("-") && !/^-o/.test(text) ? text : text.toLowerCase();
}
