/** The part of the tool `terminal` that is about commands in the background: what it takes. */
import type { BackgroundCommand } from "../agent.js";
import { type Arguments, Refused } from "./refused.js";

/** More often would be noise. */
const LEAST_CHECK_S = 30;
const MOST_PATTERNS = 10;
const LONGEST_PATTERN = 200;

/** Beside these, a call says what every command says. */
export const BACKGROUND_PARAMETERS = {
  background: {
    type: "boolean",
    description:
      "True to return at once while the command runs on, also after this turn: for servers, long builds and interactive programs. Use the tool `process` to look at it, to write to it and to end it. Has no `timeout`. In scripts write `>&2`, not `> /dev/stderr`, which would empty the output.",
  },
  pty: {
    type: "boolean",
    description: "With `background`: true for a terminal of its own, as interactive programs need it.",
  },
  checkInterval: {
    type: "number",
    minimum: LEAST_CHECK_S,
    description: `With \`background\`: sends new output to the person's chat every so many seconds, ${LEAST_CHECK_S} or more.`,
  },
  notifyOnComplete: {
    type: "boolean",
    description:
      "With `background`: true to be woken with the exit code and the last output when it has ended.",
  },
  watchPatterns: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: LONGEST_PATTERN },
    maxItems: MOST_PATTERNS,
    description:
      "With `background`: you are woken when a line of the output contains one of these texts (no regular expressions). For rare lines such as errors; too many matches switch it off.",
  },
};

export type BackgroundWish = Pick<
  BackgroundCommand,
  "pty" | "checkIntervalMs" | "notifyOnComplete" | "patterns"
>;

/** Null if the command should run in the foreground. */
export function backgroundWish(args: Arguments): BackgroundWish | null {
  const seconds = args.optionalNumber("checkInterval", LEAST_CHECK_S);
  const wish = {
    pty: args.flag("pty"),
    checkIntervalMs: seconds === undefined ? null : seconds * 1_000,
    notifyOnComplete: args.flag("notifyOnComplete"),
    patterns: args.texts("watchPatterns", MOST_PATTERNS, LONGEST_PATTERN),
  };
  if (args.flag("background")) {
    if (args.optionalNumber("timeout", 0) !== undefined) throw new Refused(NO_TIMEOUT);
    return wish;
  }
  const without = [
    ...(wish.pty ? ["pty"] : []),
    ...(wish.checkIntervalMs === null ? [] : ["checkInterval"]),
    ...(wish.notifyOnComplete ? ["notifyOnComplete"] : []),
    ...(wish.patterns.length === 0 ? [] : ["watchPatterns"]),
  ];
  if (without.length > 0) {
    const names = without.map((name) => `\`${name}\``).join(", ");
    throw new Refused(
      `not run: only a command in the background takes ${names}. Add \`background: true\`, or leave that out.`,
    );
  }
  return null;
}

const NO_TIMEOUT =
  "not run: a command in the background has no `timeout`. Leave it out, and end the command with the tool `process` and the action `kill`.";
