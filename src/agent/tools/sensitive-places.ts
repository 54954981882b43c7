/**
 * Places where a write has effects beyond the file (logins, programs that start by themselves, the system), and places
 * that contain secrets. It looks at the text of a path: the caller resolves links first. Reasons follow "This".
 */
import { nameMatches } from "./glob.js";

export const SYSTEM = "changes the system's own files";

/** Matches the end of a path, below any folder. Case does not matter, because some disks ignore it. */
const WRITES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.ssh(?:\/|$)|(?:^|\/)authorized_keys2?$/i, "touches SSH keys, which decide who can log in"],
  [/(?:^|\/)\.gnupg(?:\/|$)/i, "touches GnuPG keys"],
  [/(?:^|\/)\.aws(?:\/|$)|(?:^|\/)[._]netrc$|(?:^|\/)\.kube(?:\/|$)/i, "touches stored credentials"],
  [/(?:^|\/)\.baton(?:\/|$)/i, "touches Baton's own folder"],
  [
    /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login|inputrc|xinitrc|xsession|xsessionrc|xprofile|pam_environment)$|(?:^|\/)fish\/(?:config\.fish$|conf\.d\/)/i,
    "changes what every shell runs when it starts",
  ],
  [
    /(?:^|\/)(?:\.config\/)?autostart\/|(?:^|\/)systemd\/(?:user|system)\/|(?:^|\/)environment\.d\/|(?:^|\/)LaunchAgents\/|(?:^|\/)LaunchDaemons\/|(?:^|\/)cron(?:tabs|\.[a-z]+)?(?:\/|$)|(?:^|\/)crontab$/i,
    "changes what starts automatically",
  ],
  [
    /(?:^|\/)\.git\/(?:hooks|modules|info|config)(?:\/|$)|(?:^|\/)\.gitconfig$|(?:^|\/)\.config\/git(?:\/|$)|(?:^|\/)\.husky\/|(?:^|\/)\.gitmodules$/i,
    "changes what git runs automatically",
  ],
  [
    /(?:^|\/)\.(?:npmrc|pypirc|yarnrc|yarnrc\.yml)$|(?:^|\/)\.?pip\/pip\.conf$|(?:^|\/)\.cargo\/config(?:\.toml)?$/i,
    "changes where packages come from",
  ],
  [
    /(?:^|\/)\.(?:vimrc|exrc|gvimrc|nanorc|emacs|gdbinit|lldbinit|screenrc|tmux\.conf|psqlrc|sqliterc|irbrc|pythonrc|perldb|Rprofile|curlrc|wgetrc|mailcap|lesskey)$|(?:^|\/)(?:\.vim|\.emacs\.d|\.config\/nvim)\//i,
    "changes what a program runs when it starts",
  ],
  [
    /(?:^|\/)\.local\/bin\/|(?:^|\/)\.vscode\/(?:tasks|settings)\.json$|(?:^|\/)\.envrc$|(?:^|\/)\.direnvrc$/i,
    "changes a program that others may run",
  ],
  [/^\/(?:etc|boot|bin|sbin|lib|lib32|lib64|libx32|usr|sys|proc|dev|System|Library)(?:\/|$)/i, SYSTEM],
];

/** Not worth a question, although they are there. */
const HARMLESS = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|fd\/\d+|shm\/.+)$|^\/usr\/local\/src\//;

const READS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|[/~@=:])\.baton(?:\/|$)/i, "touches Baton's own folder"],
  [/\/proc\/[^/]+\/(?:environ|mem|maps|root|cwd|fd|task)(?:\/|$)/, "looks into another process"],
  [
    /(?:^|\/)\.ssh\/(?!(?:(?:config|known_hosts|[^/]*\.pub)$|$))|(?:^|\/)[^/]*id_(?:rsa|ed25519|ecdsa|dsa)(?:_sk)?$|(?:^|\/)ssh_host_[^/]*_key$|(?:^|\/)\.gnupg(?:\/|$)|^\/etc\/(?:g?shadow-?|sudoers(?:\.d(?:\/|$))?)|(?:^|\/)\.password-store(?:\/|$)|(?:^|\/)keyrings(?:\/|$)|(?:^|\/)Keychains(?:\/|$)|\.(?:kdbx|p12|pfx|ppk|jks)$/i,
    "reads keys or passwords",
  ],
  [
    /(?:^|\/)\.aws(?:\/|$)|(?:^|\/)\.azure(?:\/|$)|(?:^|\/)\.config\/(?:gcloud|gh|hub|git\/credentials)(?:\/|$)|(?:^|\/)\.kube(?:\/|$)|(?:^|\/)\.docker\/config\.json$|(?:^|\/)[._]netrc$|(?:^|\/)\.(?:pgpass|my\.cnf|npmrc|yarnrc\.yml|pypirc|git-credentials|vault-token|s3cfg|boto)$|(?:^|\/)\.(?:gem|cargo)\/credentials(?:\.toml)?$|(?:^|\/)credentials\.tfrc\.json$|(?:^|\/)run\/secrets(?:\/|$)/i,
    "reads stored credentials",
  ],
  [
    /(?:^|\/)\.(?:mozilla|thunderbird)(?:\/|$)|(?:^|\/)\.config\/(?:google-chrome|chromium|BraveSoftware|microsoft-edge|vivaldi|opera)(?:\/|$)|(?:^|\/)Application Support\/(?:Google\/Chrome|Firefox|BraveSoftware)(?:\/|$)/i,
    "reads a browser's profile, with its cookies and passwords",
  ],
  [
    /(?:^|\/)\.(?:bash|zsh|python|psql|mysql|sqlite|node_repl|rediscli)_history$|(?:^|\/)fish_history$/i,
    "reads what was typed before, which may hold passwords",
  ],
  [
    /(?:^|\/)\.env(?:\.(?!(?:example|sample|template|dist|defaults)$)[\w.-]+)?$/i,
    "reads a file that usually holds secrets",
  ],
];

/** Why a write to this path matters; null if it does not. */
export function whySensitive(path: string): string | null {
  const plain = tidy(path);
  return HARMLESS.test(plain) ? null : find(WRITES, plain);
}

/** Why reading this path matters; null if it does not. */
export function whySecret(path: string): string | null {
  return find(READS, tidy(path));
}

/** Patterns are matched against these files: `~/.s*` means one of them, or could. */
const SECRETS =
  "~/.ssh/id_rsa ~/.ssh/id_ed25519 ~/.aws/credentials ~/.gnupg/private-keys-v1.d ~/.netrc ~/.npmrc ~/.pypirc ~/.pgpass ~/.git-credentials ~/.docker/config.json ~/.kube/config ~/.baton/config.yaml ~/.bash_history ~/.config/gh /etc/shadow .env".split(
    " ",
  );

const LONGEST_PATTERN = 200;

/** The same for a shell pattern, which may mean one of many files. */
export function whySecretPattern(pattern: string): string | null {
  const plain = tidy(pattern).replace(/^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/)/, "~");
  if (plain.length > LONGEST_PATTERN) return "reads files by a pattern that is too long to check";
  const found = SECRETS.find((secret) => mayMean(plain.toLowerCase(), secret.toLowerCase()));
  return found === undefined ? null : whySecret(found);
}

/** A set counts as any text, because only a shell knows where `[]x]` or `[[:alpha:]]` ends. */
function mayMean(pattern: string, path: string): boolean {
  const [parts, names] = [pattern.split("/"), path.split("/")];
  const isMeant = (part: string, name: string): boolean => {
    if (/^[*?[]/.test(part) && name.startsWith(".")) return false; // At its beginning, a pattern does not match a dot.
    return nameMatches(part.replace(/\[.*\]/, "*"), name);
  };
  return parts.length === names.length && names.every((name, at) => isMeant(parts[at] ?? "", name));
}

function find(places: readonly (readonly [RegExp, string])[], path: string): string | null {
  return places.find(([place]) => place.test(path))?.[1] ?? null;
}

function tidy(path: string): string {
  return path.replace(/\/{2,}/g, "/").replace(/(?:\/\.)+(?=\/|$)/g, "");
}
