/** How the turn of a run differs from one that a person asked for. */
import type { Agent, Tool } from "../../agent/agent.js";
import { commandAgent, isCommandCall } from "../../agent/command-agent.js";
import type { Job } from "../../schedule/job.js";
import { seenFrom, type Who } from "../authorize.js";
import type { InboxItem, JobRuns } from "../store.js";
import { isSilent } from "./words.js";

export interface JobTurn {
  readonly agent: Agent;
  readonly model?: string;
  readonly deadlineMs: number;
  /** True if nobody would hear of what it starts in the background. */
  readonly isAlone: boolean;
  /** How much of the transcript the agent sees at most; absent for as much as in every turn. */
  readonly maxMessages?: number;
  /** Its person, as those may see them who get the result in the chat of the job. */
  readonly asks: (who: Who) => Who;
  /** Those that the job leaves, of the tools of its person. Its own command runs without a question: its person wrote it. */
  readonly tools: (theirs: readonly Tool[], who: Who) => readonly Tool[];
  /** True if the agent said that it has nothing to say. */
  readonly isUnsaid: (text: string) => boolean;
}

const TERMINAL = "terminal";
/** A session of a job's own never begins afresh: so that a run does not cost more each time, it sees only the last ones. */
const OWN_MESSAGES = 40;

/** Null if no job asked for it. */
export async function jobTurn(
  runs: Pick<JobRuns, "of">,
  { id, inBackground, made }: InboxItem,
  agent: Agent,
): Promise<JobTurn | null> {
  const found = inBackground ? await runs.of(id) : null;
  if (!found) return made === "job" ? REMOVED : null;
  const { prompt, command, timeoutMs, model, session, origin } = found.job;
  const then = prompt === null ? null : agent;
  return {
    agent: command === null ? agent : commandAgent({ command, timeoutMs, then }),
    ...(model === null ? {} : { model }),
    deadlineMs: timeoutMs,
    isAlone: session === "own",
    ...(session === "own" ? { maxMessages: OWN_MESSAGES } : {}),
    // The conversation may have been handed to a group since the job was made.
    asks: (who) => (origin.source.chatType === "dm" ? who : seenFrom(who, origin.source)),
    tools: (theirs, who) => toolsOf(found.job, theirs, who),
    isUnsaid: isSilent,
  };
}

/** The job was removed after its turn went into the inbox: nothing is done for it. */
const REMOVED: JobTurn = {
  agent: {
    name: "removed job",
    async *run() {
      yield { kind: "done", stopped: true };
    },
  },
  deadlineMs: 60_000,
  isAlone: true,
  asks: (who) => who,
  tools: () => [],
  isUnsaid: () => true,
};

function toolsOf(
  { tools, command, timeoutMs }: Job,
  theirs: readonly Tool[],
  { role }: Who,
): readonly Tool[] {
  const mayUse = (name: string): boolean =>
    tools === null || tools.includes(name) || (command !== null && name === TERMINAL);
  return theirs
    .filter(({ name }) => mayUse(name))
    .map((tool) => {
      if (tool.name !== TERMINAL || command === null) return tool;
      return {
        ...tool,
        danger: async (args) => {
          const danger = (await tool.danger?.(args)) ?? null;
          const isAgreed =
            isCommandCall(args, { command, timeoutMs }) && (role === "owner" || !danger?.onlyOwner);
          return isAgreed ? null : danger;
        },
      };
    });
}
