/** All commands, in the order in which help and the documentation show them. */
import { platforms, whoami } from "./about.js";
import { approve, deny } from "./approve.js";
import { beginNew, reset } from "./begin.js";
import { branch } from "./branch.js";
import type { Command } from "./commands.js";
import type { Facts } from "./facts.js";
import { handoff } from "./handoff.js";
import { help } from "./help.js";
import { sethome } from "./home.js";
import { model } from "./model.js";
import { link, pair } from "./people.js";
import { resume, sessions } from "./resume.js";
import { search } from "./search.js";
import { ShownSessions } from "./shown-sessions.js";
import { status, usage } from "./status.js";
import { title } from "./title.js";
import { queue, steer, stop } from "./turn.js";
import { retry, undo } from "./undo.js";

/** `more`: your own commands, which `/help` shows too. */
export function commandTable(facts: Facts, more: readonly Command[] = []): readonly Command[] {
  const shown = new ShownSessions();
  const table: Command[] = [
    beginNew,
    reset,
    resume(shown, facts),
    sessions(shown, facts),
    handoff,
    title,
    branch(facts),
    undo,
    retry,
    search(shown, facts),
    status(facts),
    usage,
    model(facts),
    stop,
    approve,
    deny,
    queue,
    steer,
    platforms(facts),
    whoami,
    link(facts),
    pair(facts),
    sethome,
    ...more,
  ];
  table.push(help(table));
  return table;
}
