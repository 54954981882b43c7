/** `baton cron`. */
import { ACCEPTED_FORMS } from "../../schedule/forms.js";
import { WISH_OPTIONS, type WishOption } from "../../schedule/wish-options.js";
import { examplePlatform, wholeNumber } from "../options.js";
import { type Argument, type Flag, JSON_FLAG, type Verb } from "../verb.js";

const JOB: Argument = { name: "<job>", description: "its id, the start of its id, or its name" };
const WHAT: Argument = { name: "[what...]", description: "what the agent is asked, or the command" };
const DRY_RUN: Flag = { flags: "--dry-run", description: "show what was understood, and save nothing" };

const JOB_FLAGS: readonly Flag[] = WISH_OPTIONS.map(({ name, value, description, ...more }: WishOption) => ({
  flags: value === null ? `--${name}` : `--${name} <${value}>`,
  description,
  ...(more.choices ? { choices: more.choices } : {}),
}));

export const cron: Verb = {
  name: "cron",
  description: "list, make, change and run scheduled jobs",
  notes: "A running gateway, or an open chat, runs the jobs when their time has come.",
  examples: ["cron list", 'cron add "every weekday at 9" "send me a digest"'],
  verbs: [
    {
      name: "list",
      description: "list the scheduled jobs of everybody, and say if they are late",
      options: [{ flags: "--all", description: "also those that are done" }, JSON_FLAG],
      examples: ["cron list"],
      run: async () => (await import("../cron/list.js")).listJobs,
    },
    {
      name: "add",
      description: "make a job, and show its next runs",
      args: [{ name: "[when]", description: "when it runs, as one argument in quotes" }, WHAT],
      options: [
        ...JOB_FLAGS,
        { flags: "--heartbeat", description: "make the job that looks around every hour, or when you say" },
        DRY_RUN,
        JSON_FLAG,
      ],
      notes: `${ACCEPTED_FORMS}\n\nThe job is yours: it runs with the rights of this terminal, and its result is shown in the next \`baton chat\` if you do not name another place.`,
      liveNotes: async () => (await import("../cron/homes.js")).homeNotes,
      examples: [
        `cron add "every weekday at 9" "send me a digest" --deliver ${examplePlatform()}`,
        'cron add "0 8 * * 1" "df -h /" --command --zone Europe/Berlin',
        'cron add 30m "look at the oven" --dry-run',
        "cron add --heartbeat",
      ],
      run: async () => (await import("../cron/add.js")).addJob,
    },
    {
      name: "edit",
      description: "change a job, and show its next runs",
      args: [JOB, { ...WHAT, description: `${WHAT.description}; if you leave it out, it stays` }],
      options: [
        { flags: "--when <when>", description: "when it runs from now on" },
        ...JOB_FLAGS,
        DRY_RUN,
        JSON_FLAG,
      ],
      notes: `${ACCEPTED_FORMS}\n\nWhat you do not name stays as it is. A job that is done can't be changed: make a new one.`,
      examples: ['cron edit j_4f --when "every day at 8"', "cron edit digest --deliver all"],
      run: async () => (await import("../cron/add.js")).editJob,
    },
    {
      name: "pause",
      description: "pause a job; its times do not run until you resume it",
      args: [JOB],
      options: [JSON_FLAG],
      examples: ["cron pause digest"],
      run: async () => (await import("../cron/act.js")).pauseJob,
    },
    {
      name: "resume",
      description: "go on with a job that is paused",
      args: [JOB],
      options: [JSON_FLAG],
      examples: ["cron resume digest"],
      run: async () => (await import("../cron/act.js")).resumeJob,
    },
    {
      name: "run",
      description: "run a job once now, beside its schedule; does not wait for the result",
      args: [JOB],
      options: [JSON_FLAG],
      examples: ["cron run digest"],
      run: async () => (await import("../cron/act.js")).runJob,
    },
    {
      name: "remove",
      description: "remove a job, the list of its runs and their files",
      args: [JOB],
      options: [JSON_FLAG],
      examples: ["cron remove j_4f"],
      run: async () => (await import("../cron/act.js")).removeJob,
    },
    {
      name: "runs",
      description: "show a job and its last runs: state, error, tokens, where the result went, and its file",
      args: [JOB],
      options: [
        {
          flags: "-n, --limit <number>",
          description: "how many runs",
          parse: wholeNumber(200),
          default: 10,
        },
        JSON_FLAG,
      ],
      examples: ["cron runs digest", "cron runs j_4f --json"],
      run: async () => (await import("../cron/runs.js")).jobRuns,
    },
  ],
};
