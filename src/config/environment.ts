/** The environment variables that Baton knows. Nothing else in Baton reads `process.env`. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export interface Environment {
  /** Where Baton keeps its things: `BATON_HOME`, else `~/.baton`. */
  readonly home: string;
  /** `BATON_STORE`: overrides the store of every file. */
  readonly store: string | undefined;
  /** `FORCE_COLOR` and `NO_COLOR`; undefined where neither decides. */
  readonly color: boolean | undefined;
}

/** An empty variable counts as absent. */
export function readEnvironment(variables: Readonly<NodeJS.ProcessEnv> = process.env): Environment {
  return {
    home: variables.BATON_HOME ? resolve(variables.BATON_HOME) : join(homedir(), ".baton"),
    store: variables.BATON_STORE || undefined,
    color: wantsColor(variables),
  };
}

function wantsColor(variables: Readonly<NodeJS.ProcessEnv>): boolean | undefined {
  if (variables.FORCE_COLOR) return !["0", "false"].includes(variables.FORCE_COLOR);
  return variables.NO_COLOR ? false : undefined;
}
