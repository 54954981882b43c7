/** Milliseconds UTC. Passed in wherever a decision depends on the time, so that tests set it. */
export type Clock = () => number;
