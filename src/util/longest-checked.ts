/**
 * How long a command may be that Baton checks, in characters: a person could not see a longer one whole, either. What was typed
 * before and is not complete is kept up to the same length, so that the check notices if it is cut.
 */
export const LONGEST_CHECKED = 4_000;
