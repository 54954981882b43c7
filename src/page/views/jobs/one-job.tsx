/** One job, and all its runs: what each said, or why it failed. */
import { useEffect } from "preact/hooks";
import type { WireJob, WireRun } from "../../../web/wire.js";
import { Link } from "../../router.js";
import { Time } from "../../ui.js";
import { Badge, Theirs, TheirText } from "../bits.js";
import { spanWords } from "../figures.js";
import { More, Section, Shown, View } from "../frame.js";
import { isGoingOn, runTone, runWords } from "../state-words.js";
import { usePages } from "../use-pages.js";
import { JobCard, nameId } from "./job-card.js";
import { useJobs } from "./use-jobs.js";

export function OneJob({ id, base }: { readonly id: string; readonly base: string }) {
  const { value, failure, reload } = useJobs();
  const job = value?.find((each) => each.id === id);
  const back = <Link href={base}>All jobs</Link>;
  if (!job)
    return (
      <View title="Job" tools={back}>
        <Shown
          value={value}
          failure={failure}
          reload={reload}
          isEmpty={() => true}
          empty="This job is not there any more, or it is not yours."
        >
          {() => null}
        </Shown>
      </View>
    );
  const title = (
    <span class="row">
      <span id={nameId(job)}>
        <Theirs text={job.name} />
      </span>
      {job.isPaused ? <Badge tone="warn">paused</Badge> : null}
    </span>
  );
  return (
    <View title={title} tools={back}>
      <JobCard job={job} base={base} reload={reload} isOpen />
      <Runs job={job} />
    </View>
  );
}

function Runs({ job }: { readonly job: WireJob }) {
  const runs = usePages<WireRun>(`/api/jobs/${encodeURIComponent(job.id)}/runs`, ["jobs"]);
  const { id, state } = job.lastRun ?? { id: "", state: "" };
  const { reload } = runs;
  // Another last run, or another state of it, means that these are old.
  useEffect(reload, [reload, id, state]);
  return (
    <Section title="Runs">
      <Shown
        value={runs.items}
        failure={runs.failure}
        reload={runs.reload}
        isEmpty={(items) => items.length === 0}
        empty="It has not run yet."
      >
        {(items) => (
          <ol class="view-cards">
            {items.map((run) => (
              <li key={run.id} class="card stack">
                <Run run={run} />
              </li>
            ))}
          </ol>
        )}
      </Shown>
      <More {...runs} />
    </Section>
  );
}

function Run({ run }: { readonly run: WireRun }) {
  const { at, endedAt, text, error } = run;
  return (
    <>
      <div class="row">
        <Badge tone={runTone(run)}>{runWords(run)}</Badge>
        <Time at={at} />
        {endedAt === null || isGoingOn(run) ? null : (
          <span class="muted">took {spanWords(endedAt - at)}</span>
        )}
      </div>
      {error === null ? null : (
        <p class="view-error">
          <Theirs text={error} />
        </p>
      )}
      {text === null || text === "" ? null : <TheirText text={text} />}
    </>
  );
}
