/** The environment variables that Baton knows. Nothing else in Baton reads `process.env`. */
import { join, resolve } from "node:path";
import { type ModelVariables, readModelVariables } from "./model-variables.js";
import { userFolder } from "./paths.js";
import { platformVariables } from "./platform-settings.js";
import { type ProxyVariables, readProxyVariables } from "./proxy.js";

export interface Environment {
  /** Where Baton keeps its things: `BATON_HOME`, else `~/.baton`. */
  readonly home: string;
  /** The other variables that are set and may override single keys, by the rule in keys.ts: `BATON_…`, `TELEGRAM_…`. */
  readonly variables: Readonly<Record<string, string>>;
  /** `FORCE_COLOR` and `NO_COLOR`; undefined where neither decides. */
  readonly color: boolean | undefined;
  /** True if the terminal can only print: `TERM=dumb`. */
  readonly isDumb: boolean;
  /** True if the terminal makes links that can be clicked, or passes over them for certain. */
  readonly links: boolean;
  /** How the terminal shows pictures, if it says which one it is. */
  readonly pictures: "kitty" | "iterm2" | undefined;
  /** True if the locale says that the terminal shows more than ASCII. */
  readonly unicode: boolean;
  /** The usual variables of model providers. */
  readonly models: ModelVariables;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly proxies: ProxyVariables;
  /** True if a browser can come up where the person sits: not over SSH, and on Linux only with a display. */
  readonly hasBrowser: boolean;
  /** Where programs are found. */
  readonly path: string;
  /** The script of npm that runs, such as `start`, or `npx`; null if npm did not start Baton. */
  readonly npmEvent: string | null;
  /** The command of the user's editor: `VISUAL`, else `EDITOR`. */
  readonly editor: string;
}

/** An empty variable counts as absent. */
export function readEnvironment(variables: Readonly<NodeJS.ProcessEnv> = process.env): Environment {
  const { BATON_HOME: _, ...others } = variables;
  const known = new Set(platformVariables());
  const isOurs = (name: string) => name.startsWith("BATON_") || known.has(name);
  return {
    home: homeFolder(variables),
    variables: Object.fromEntries(
      Object.entries(others).flatMap(([name, value]) => (isOurs(name) && value ? [[name, value]] : [])),
    ),
    color: wantsColor(variables),
    isDumb: variables.TERM === "dumb",
    links: showsLinks(variables),
    pictures: showsPictures(variables),
    unicode: speaksUnicode(variables),
    models: readModelVariables(variables),
    proxies: readProxyVariables(variables),
    hasBrowser: showsBrowser(variables),
    path: variables.PATH ?? "",
    npmEvent: variables.npm_lifecycle_event || null,
    editor: variables.VISUAL || variables.EDITOR || "vi",
  };
}

export function homeFolder({ BATON_HOME }: Readonly<NodeJS.ProcessEnv> = process.env): string {
  return BATON_HOME ? resolve(BATON_HOME) : join(userFolder(), ".baton");
}

function wantsColor(variables: Readonly<NodeJS.ProcessEnv>): boolean | undefined {
  if (variables.FORCE_COLOR) return !["0", "false"].includes(variables.FORCE_COLOR);
  return variables.NO_COLOR || variables.TERM === "dumb" ? false : undefined;
}

const WITH_LINKS = {
  terms: ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "contour"],
  programs: ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "zed", "tmux"],
};
/** GNOME's terminals print the addresses of links before this version. */
const OLDEST_VTE = 5_000;

/** Not within GNU screen, which may print them. */
function showsLinks(variables: Readonly<NodeJS.ProcessEnv>): boolean {
  const { TERM = "", TERM_PROGRAM = "", VTE_VERSION, WT_SESSION, KONSOLE_VERSION, STY } = variables;
  if (TERM === "dumb" || STY) return false;
  if (WITH_LINKS.terms.includes(TERM) || WITH_LINKS.programs.includes(TERM_PROGRAM)) return true;
  return Number(VTE_VERSION ?? 0) >= OLDEST_VTE || Boolean(WT_SESSION || KONSOLE_VERSION);
}

/** Not within tmux, which would have to pass them on. */
function showsPictures({ TERM, TERM_PROGRAM, TMUX }: Readonly<NodeJS.ProcessEnv>): Environment["pictures"] {
  if (TMUX) return undefined;
  if (TERM === "xterm-kitty" || TERM === "xterm-ghostty") return "kitty";
  return TERM_PROGRAM === "iTerm.app" || TERM_PROGRAM === "WezTerm" ? "iterm2" : undefined;
}

/** The first of these that is set decides, as for every program. */
function speaksUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: Readonly<NodeJS.ProcessEnv>): boolean {
  return TERM !== "dumb" && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}

function showsBrowser(
  { SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY }: Readonly<NodeJS.ProcessEnv>,
  system: NodeJS.Platform = process.platform,
): boolean {
  if (SSH_CONNECTION || SSH_TTY) return false;
  return system === "darwin" || system === "win32" || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/** What a command that the agent runs may know of the environment: how to find programs, and how to speak. */
const FOR_CHILDREN = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"];

export function isForChildren(name: string): boolean {
  return FOR_CHILDREN.includes(name) || /^LC_[A-Z]+$/.test(name);
}

export function childEnvironment(
  variables: Readonly<NodeJS.ProcessEnv> = process.env,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      isForChildren(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

/** What a client of another machine or of a container engine may know: besides that, how to reach its keys and engine. */
const FOR_CLIENTS = [
  "SSH_AUTH_SOCK",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
];

export function clientEnvironment(
  variables: Readonly<NodeJS.ProcessEnv> = process.env,
): Record<string, string> {
  const more = FOR_CLIENTS.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : []));
  return { ...childEnvironment(variables), ...Object.fromEntries(more) };
}

/** What a browser may know: besides that, how to reach the screen and the desktop. */
const FOR_BROWSERS = [
  "BROWSER",
  "DESKTOP_SESSION",
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "SystemRoot",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
];

export function browserEnvironment(
  variables: Readonly<NodeJS.ProcessEnv> = process.env,
): Record<string, string> {
  const more = Object.entries(variables).filter(
    ([name]) => FOR_BROWSERS.includes(name) || name.startsWith("XDG_"),
  );
  return { ...childEnvironment(variables), ...(Object.fromEntries(more) as Record<string, string>) };
}

/** What the process host may know: besides that, how to reach the user's own service manager. */
export function hostEnvironment(
  variables: Readonly<NodeJS.ProcessEnv> = process.env,
): Record<string, string> {
  const { XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS } = variables;
  return {
    ...childEnvironment(variables),
    ...(XDG_RUNTIME_DIR && { XDG_RUNTIME_DIR }),
    ...(DBUS_SESSION_BUS_ADDRESS && { DBUS_SESSION_BUS_ADDRESS }),
  };
}
