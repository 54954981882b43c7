/** GET /api/jobs and /api/jobs/:id/runs: the jobs that /cron shows this person in private, and their last runs. */
import { deliverWords, whenWords } from "../../gateway/jobs/describe.js";
import type { JobAsker, JobDesk } from "../../gateway/jobs/desk.js";
import { atLeast } from "../../gateway/permissions.js";
import type { Job } from "../../schedule/job.js";
import type { ShownRun } from "../../schedule/store.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { limitIn, notFound, type WebAsking } from "../asking.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WireJob, WirePage, WireRun } from "../wire.js";

const RUNS = 30;
/** No job has more: the store forgets older ones. */
const MOST_RUNS = 200;
const LONGEST_TEXT = 8_000;

export function jobRoutes(
  routes: Routes,
  { gateway: { jobs: desk } }: { readonly gateway: Pick<WebSetting["gateway"], "jobs"> },
): void {
  routes.get("/api/jobs", async (asking) => {
    const jobs = await jobsOf(desk, asking);
    const shown = jobs.filter(({ state }) => state !== "done");
    return { items: await Promise.all(shown.map((job) => wireJob(desk, job))) };
  });

  routes.get("/api/jobs/:id/runs", async (asking): Promise<WirePage<WireRun>> => {
    const job = (await jobsOf(desk, asking)).find(({ id }) => id === asking.part("id"));
    if (!desk || !job) throw notFound();
    const runs = await desk.runs(job, limitIn(asking, RUNS, MOST_RUNS));
    return { items: runs.map(wireRun), nextCursor: null };
  });
}

/** As /cron: it is for members and owners. */
async function jobsOf(desk: JobDesk | null, { who }: WebAsking): Promise<Job[]> {
  const asker: JobAsker = { who, source: who.source };
  return desk && atLeast(who.role, "member") ? desk.list(asker) : [];
}

async function wireJob(desk: JobDesk | null, job: Job): Promise<WireJob> {
  const [last] = desk ? await desk.runs(job, 1) : [];
  return {
    id: job.id,
    name: cleanLine(job.name),
    what: whatOf(job),
    schedule: whenWords(job),
    target: deliverWords(job, job.origin.source),
    nextAt: job.state === "active" ? job.wakeAt : null,
    isPaused: job.state === "paused",
    pausedWhy: job.pausedWhy === null ? null : cleanLine(job.pausedWhy),
    lastRun: last ? wireRun(last) : null,
  };
}

function whatOf({ prompt, command }: Pick<Job, "prompt" | "command">): string {
  return shorten(printableText(prompt ?? command ?? ""), LONGEST_TEXT);
}

function wireRun(run: ShownRun): WireRun {
  return {
    id: `${run.id}`,
    at: run.startedAt ?? run.scheduledFor ?? run.madeAt,
    endedAt: run.endedAt,
    state: run.state,
    text: run.said === null ? null : shorten(printableText(run.said), LONGEST_TEXT),
    error: run.error === null ? null : cleanLine(run.error),
  };
}
