/** One job: what it does and when, and what can be done with it. Commands name it by its id: names can be alike. */
import type { WireJob, WireRun } from "../../../web/wire.js";
import { go, Link } from "../../router.js";
import { Time } from "../../ui.js";
import { isolated } from "../../words.js";
import { Act, said } from "../act.js";
import { Ahead, Badge, Facts, Theirs, TheirText } from "../bits.js";
import { runTone, runWords } from "../state-words.js";
import { placeBelow } from "../subplace.js";

interface JobCardProps {
  readonly job: WireJob;
  readonly base: string;
  readonly reload: () => void;
  /** Opened alone: its name is the heading above. */
  readonly isOpen?: boolean;
}

export function JobCard({ job, base, reload, isOpen = false }: JobCardProps) {
  return (
    <article class="card stack view-job">
      {isOpen ? null : (
        <header class="row">
          <h2>
            <Link id={nameId(job)} href={placeBelow(base, job.id)}>
              <Theirs text={job.name} />
            </Link>
          </h2>
          {job.isPaused ? <Badge tone="warn">paused</Badge> : null}
        </header>
      )}
      <TheirText text={job.what} />
      <Facts
        of={[
          ["When", <Theirs key="when" text={job.schedule} />],
          ["Sends to", <Theirs key="to" text={job.target} />],
          ["Next run", nextRun(job)],
          ["Last run", job.lastRun ? <LastRun run={job.lastRun} /> : "It has not run yet"],
        ]}
      />
      <JobActions job={job} base={base} reload={reload} isOpen={isOpen} />
    </article>
  );
}

function nextRun({ isPaused, pausedWhy, nextAt }: WireJob) {
  if (isPaused) return pausedWhy === null ? "None while it is paused" : <Theirs text={pausedWhy} />;
  return nextAt === null ? "None" : <Ahead at={nextAt} />;
}

function LastRun({ run }: { readonly run: WireRun }) {
  return (
    <span class="row">
      <Badge tone={runTone(run)}>{runWords(run)}</Badge>
      <Time at={run.at} />
      {run.error === null ? null : (
        <span class="view-error">
          <Theirs text={run.error} />
        </span>
      )}
    </span>
  );
}

function JobActions({ job, base, reload, isOpen }: JobCardProps) {
  const about = nameId(job);
  const act = (verb: string) => () => said(`/cron ${verb} ${job.id}`);
  return (
    <div class="row">
      <Act act={act("run")} after={reload} about={about} kind="primary">
        Run now
      </Act>
      <Act act={act(job.isPaused ? "resume" : "pause")} after={reload} about={about}>
        {job.isPaused ? "Resume" : "Pause"}
      </Act>
      <Act
        act={act("remove")}
        after={() => (isOpen ? go(base) : reload())}
        about={about}
        kind="danger"
        ask={{
          title: "Remove this job?",
          text: `“${isolated(job.name)}” does not run any more, and its schedule is gone. To stop it for a while, pause it.`,
          action: "Remove",
        }}
      >
        Remove
      </Act>
    </div>
  );
}

/** Of the element that has its name. */
export function nameId({ id }: Pick<WireJob, "id">): string {
  return `job-${id}`;
}
