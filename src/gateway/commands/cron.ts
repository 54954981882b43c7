/** `/cron`: the scheduled jobs of the person, as far as this chat may show them. */
import { ACCEPTED_FORMS } from "../../schedule/forms.js";
import { WISH_OPTIONS } from "../../schedule/wish-options.js";
import type { AgentInfo } from "./agent-info.js";
import { type Command, type CommandCall, fixedWords } from "./commands.js";

export function cron({ clock }: AgentInfo): Command {
  return {
    name: "cron",
    usage: "[add <when>: <what>]",
    completes: fixedWords({
      "add ": "make a job",
      "edit ": "change a job",
      "pause ": "stop a job for now",
      "resume ": "let a job run again",
      "run ": "run a job now",
      "remove ": "delete a job",
      "runs ": "show the runs of a job",
      heartbeat: "make a job that looks around every hour",
    }),
    description: "list your scheduled jobs, or make, change, run and remove them",
    details:
      "`/cron add every weekday at 9: send me a digest` makes a job, and shows when it runs next. " +
      `${ACCEPTED_FORMS} ` +
      "`/cron edit <job> [<when>:] [<what>]` changes it; `/cron pause`, `resume`, `run`, `remove` and `runs` take its id or its name. " +
      "`/cron heartbeat` makes a job that looks around every hour. " +
      `Options stand before the colon or at the end: ${WISH_OPTIONS.map(({ name, value }) => `\`--${name}${value === null ? "" : ` <${value}>`}\``).join(", ")}.`,
    role: "member",
    async run(call) {
      const desk = call.gateway.jobs;
      if (!desk) return "Scheduled jobs are not available here.";
      return (await import("./cron-answer.js")).cronAnswer(desk, call, clock());
    },
  };
}

/** Lines for `/status`. */
export async function jobLines(call: CommandCall, now: number): Promise<string[]> {
  const desk = call.gateway.jobs;
  return desk ? (await import("./cron-answer.js")).statusLines(desk, call, now) : [];
}
