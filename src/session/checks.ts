/** Checks what a program passes in: it names a mistake at once, before it asks the store for anything. */
import { InputError } from "./errors.js";
import type { SessionId } from "./ids.js";
import type { SessionScopes } from "./session-key.js";
import type { SearchOptions } from "./store.js";
import { MESSAGE_ROLES } from "./transcript.js";

/** An error of a watcher does not matter here: the session is already stored. */
export function guarded(onChange: (sessionId: SessionId) => void): (sessionId: SessionId) => void {
  return (sessionId) => {
    try {
      onChange(sessionId);
    } catch (error) {
      process.emitWarning(`onChange threw: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

export { checkText } from "./check-text.js";

/** What names a session: an id, or something that `find` accepts. */
export function checkId<Id extends string>(value: Id): Id {
  if (typeof value === "string") return value;
  throw new InputError("invalid_session_id", "Name a session by its id, a string, as `list` gives it.");
}

export function checkScopes(scopes: SessionScopes): void {
  if (typeof scopes !== "object" || scopes === null) {
    throw new InputError("invalid_scope", "scopes must be an object with agent, dm, group and thread.");
  }
  for (const name of Object.keys(scopes)) {
    if (!["agent", "dm", "group", "thread"].includes(name)) {
      throw new InputError("invalid_scope", `scopes.${name} is unknown: use agent, dm, group and thread.`);
    }
  }
  const allowed = {
    dm: ["chat", "platform"],
    group: ["chat", "member"],
    thread: ["chat", "member"],
  } as const;
  for (const [name, values] of Object.entries(allowed)) {
    const value = scopes[name as keyof typeof allowed];
    if (value !== undefined && !(values as readonly string[]).includes(value)) {
      throw new InputError(
        "invalid_scope",
        `scopes.${name} is ${JSON.stringify(value)}: use ${values.join(" or ")}.`,
      );
    }
  }
  if (
    scopes.agent !== undefined &&
    (typeof scopes.agent !== "string" || !/^[\w-]{1,64}$/.test(scopes.agent))
  ) {
    throw new InputError("invalid_scope", "scopes.agent: use 1 to 64 letters, digits, - and _.");
  }
}

export function checkLimit<Options extends { limit?: number }>(
  options: Options,
  usual: number,
  most: number,
): Options & { limit: number } {
  const limit = options.limit ?? usual;
  if (!Number.isInteger(limit) || limit < 1) {
    throw new InputError("invalid_cursor", `limit must be a whole number from 1 to ${most}.`);
  }
  return { ...options, limit: Math.min(limit, most) };
}

const MAX_NEIGHBOURS = 3;

export function checkSearch(options: SearchOptions): SearchOptions {
  const { role, after, before, neighbours = 0, platform, sessionId } = options;
  const wrong = (sentence: string) => new InputError("invalid_search", sentence);
  if (role !== undefined && ![role].flat().every((each) => MESSAGE_ROLES.includes(each))) {
    throw wrong(`role must be one or more of ${MESSAGE_ROLES.join(", ")}.`);
  }
  for (const [name, at] of Object.entries({ after, before })) {
    if (at !== undefined && !Number.isFinite(at)) throw wrong(`${name} must be a time in milliseconds.`);
  }
  if (!Number.isInteger(neighbours) || neighbours < 0 || neighbours > MAX_NEIGHBOURS) {
    throw wrong(`neighbours must be a whole number from 0 to ${MAX_NEIGHBOURS}.`);
  }
  if (platform !== undefined && typeof platform !== "string") throw wrong("platform must be a name.");
  if (sessionId !== undefined) checkId(sessionId);
  return checkLimit(options, 20, 100);
}
