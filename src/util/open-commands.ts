/**
 * Which commands are not complete after some lines, and where they began. Nobody knows if a shell reads the lines. It may
 * read some of them, and a program that it started the others: so every line may also begin a command of its own. Such a
 * beginning is a guess, and is followed for a while only. A command that began after a complete one is followed to its end.
 */
import { LOST, NOTHING_OPEN, type OpenMarks, openAfter } from "./open-lines.js";

/** How many characters a guess is followed. */
const GUESSED = 2_000;
/** How many ways are followed at the same time. */
const MOST_WAYS = 16;

export interface OpenCommands {
  /** True if a new command may begin here. */
  readonly isWhole: boolean;
  readonly ways: ReadonlyMap<OpenMarks, OpenWay>;
}

/** Positions of the first and of the last line from which it leads here. */
interface OpenWay {
  readonly from: number;
  readonly last: number;
  readonly isGuess: boolean;
}

export const NO_OPEN_COMMANDS: OpenCommands = { isWhole: true, ways: new Map() };

/** After a line at this position. `readings` are what it may be without its keys. */
export function openCommandsAfter(
  before: OpenCommands,
  readings: readonly string[],
  position: number,
): OpenCommands {
  const { isWhole, ways } = before;
  // Most lines are plain, and a way that is lost stays so: neither is worth the time.
  if (ways.size === 0 ? readings.every(isPlain) : ways.get(LOST)?.isGuess === false) return before;
  const after = new Map<OpenMarks, OpenWay>();
  let endsWhole = false;
  const follow = (open: OpenMarks, way: OpenWay): void => {
    if (open === NOTHING_OPEN) endsWhole ||= !way.isGuess;
    else after.set(open, both(after.get(open) ?? way, way));
  };
  const begun = { from: position, last: position, isGuess: !isWhole };
  for (const [opened, way] of [...recent(ways, position), [NOTHING_OPEN, begun] as const])
    for (const reading of readings)
      for (const [nth, open] of openAfter(opened, reading).entries())
        follow(open, nth === 0 ? way : { ...way, isGuess: true });
  return { isWhole: endsWhole, ways: after.size <= MOST_WAYS ? after : lost(after) };
}

function isPlain(line: string): boolean {
  return !/['"`(){}\\|&#]/.test(line);
}

/** The same after either of two. */
export function eitherOpen(one: OpenCommands, other: OpenCommands): OpenCommands {
  const ways = new Map(one.ways);
  for (const [open, way] of other.ways) ways.set(open, both(ways.get(open) ?? way, way));
  return { isWhole: one.isWhole || other.isWhole, ways };
}

function both(one: OpenWay, other: OpenWay): OpenWay {
  return {
    from: Math.min(one.from, other.from),
    last: Math.max(one.last, other.last),
    isGuess: one.isGuess && other.isGuess,
  };
}

function* recent(ways: OpenCommands["ways"], position: number): Generator<[OpenMarks, OpenWay]> {
  for (const [open, way] of ways) {
    if (!way.isGuess || position - way.from <= GUESSED) yield [open, way];
    else if (position - way.last <= GUESSED) yield [open, { ...way, from: way.last }];
  }
}

/** Too many to follow: none of them is taken as complete any more. */
function lost(ways: OpenCommands["ways"]): OpenCommands["ways"] {
  return new Map([[LOST, [...ways.values()].reduce(both)]]);
}
