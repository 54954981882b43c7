/**
 * Places where a write has effects beyond the file: what logs people in, what runs by itself, what the system stands on,
 * and what is Baton's own. Of texts: links are not looked at.
 */
import type { Danger } from "../agent.js";

/** By the end of a path, where each name may be below any folder. Reasons follow "because it". */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.ssh(?:\/|$)|(?:^|\/)authorized_keys$/, "touches SSH keys, which decide who can log in"],
  [/(?:^|\/)\.gnupg(?:\/|$)/, "touches GnuPG keys"],
  [/(?:^|\/)\.aws\/credentials$|(?:^|\/)\.netrc$|(?:^|\/)\.kube\/config$/, "touches stored credentials"],
  [/(?:^|\/)\.baton(?:\/|$)/, "touches Baton's own folder"],
  [
    /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xsession|xprofile)$|(?:^|\/)fish\/config\.fish$/,
    "changes what every shell runs when it starts",
  ],
  [
    /(?:^|\/)(?:\.config\/)?autostart\/|(?:^|\/)systemd\/(?:user|system)\/|(?:^|\/)LaunchAgents\/|(?:^|\/)LaunchDaemons\/|(?:^|\/)cron(?:tabs|\.[a-z]+)?(?:\/|$)|(?:^|\/)crontab$/,
    "changes what runs by itself",
  ],
  [
    /(?:^|\/)\.git\/(?:hooks\/|config$)|(?:^|\/)\.gitconfig$|(?:^|\/)\.husky\//,
    "changes what git runs by itself",
  ],
  [/(?:^|\/)\.(?:npmrc|pypirc)$|(?:^|\/)\.pip\/pip\.conf$/, "changes where packages come from"],
  [
    /^\/(?:etc|boot|bin|sbin|lib|lib32|lib64|usr|sys|proc|dev|System|Library)(?:\/|$)/,
    "changes the system's own files",
  ],
];

/** Not worth asking about, though they lie there. */
const HARMLESS = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|fd\/\d+|shm\/.+)$|^\/usr\/local\/src\//;

/** Why it matters that this path is written; null where it does not. */
export function whySensitive(path: string): string | null {
  const plain = path.replace(/\/{2,}/g, "/").replace(/(?:\/\.)+(?=\/|$)/g, "");
  if (HARMLESS.test(plain)) return null;
  return PLACES.find(([place]) => place.test(plain))?.[1] ?? null;
}

/** For tools that write the file they are given as `path`: all that they are given is what would be done. */
export function dangerOfWriting(args: unknown): Danger | null {
  if (typeof args !== "object" || args === null || !("path" in args)) return null;
  const reason = typeof args.path === "string" ? whySensitive(args.path) : null;
  if (reason === null) return null;
  const lines = Object.entries(args).map(([name, value]) => `${name}: ${String(value)}`);
  return { reason, what: lines.join("\n") };
}
