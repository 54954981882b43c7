/** All commands, in the order in which help and the documentation show them. */
import { platforms, whoami } from "./about.js";
import type { AgentInfo } from "./agent-info.js";
import { approve, deny } from "./approve.js";
import { beginNew, reset } from "./begin.js";
import { branch } from "./branch.js";
import type { Command } from "./commands.js";
import { compress } from "./compress.js";
import { cron } from "./cron.js";
import { handoff } from "./handoff.js";
import { help } from "./help.js";
import { sethome } from "./home.js";
import { instructions } from "./instructions.js";
import { memory } from "./memory.js";
import { model } from "./model.js";
import { link, pair } from "./people.js";
import { processes } from "./processes.js";
import { resume, sessions } from "./resume.js";
import { search } from "./search.js";
import { ShownSessions } from "./shown-sessions.js";
import { status } from "./status.js";
import { title } from "./title.js";
import { queue, steer, stop } from "./turn.js";
import { retry, undo } from "./undo.js";
import { usage } from "./usage.js";
import { web } from "./web.js";

/** `more`: your own commands, which `/help` shows too. */
export function commandTable(info: AgentInfo, more: readonly Command[] = []): readonly Command[] {
  const shown = new ShownSessions();
  const table: Command[] = [
    beginNew,
    reset,
    resume(shown, info),
    sessions(shown, info),
    handoff,
    title,
    branch(info),
    undo,
    retry,
    compress,
    search(shown, info),
    status(info),
    usage(info),
    memory(info),
    model(info),
    instructions,
    processes(info),
    cron(info),
    stop,
    approve,
    deny,
    queue,
    steer,
    platforms(info),
    whoami,
    link(info),
    web(info),
    pair(info),
    sethome,
    ...more,
  ];
  table.push(help(table));
  return table;
}
