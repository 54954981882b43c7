/** The results of runs as files, one Markdown file a run: so a result is never lost, whatever becomes of its delivery. */
import { randomBytes } from "node:crypto";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job, Run } from "../../schedule/job.js";
import { formatSchedule } from "../../schedule/schedule.js";
import { isJobId, type JobId } from "../../session/ids.js";
import { makeFolder } from "../../util/make-folder.js";

/** So many files of a job are kept. */
const KEPT = 100;

export class OutputFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns its path below the folder. The same run gets the same file. */
  async write(job: Job, run: Run, state: string, text: string): Promise<string> {
    const folder = join(this.#folder, job.id);
    makeFolder(folder);
    const name = `${timeName(run.startedAt ?? run.madeAt)}-${run.id}.md`;
    const draft = join(folder, `.${name}.${randomBytes(4).toString("hex")}`);
    await writeFile(draft, fileText(job, run, state, text), { mode: 0o600 });
    await rename(draft, join(folder, name));
    await this.#tidy(folder, name);
    return `${job.id}/${name}`;
  }

  /** Removes the files of a job. */
  async remove(id: JobId): Promise<void> {
    if (isJobId(id)) await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  /** Removes the files of jobs that are gone. */
  async tidy(isThere: (id: JobId) => Promise<boolean>): Promise<void> {
    const folders = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    for (const name of folders) if (isJobId(name) && !(await isThere(name))) await this.remove(name);
  }

  /** The file that was just written stays, also if the clock was set back since the others were. */
  async #tidy(folder: string, last: string): Promise<void> {
    const others = (await readdir(folder)).filter((name) => name !== last).sort();
    const isDraft = (name: string) => name.startsWith("."); // Its process ended while it wrote it.
    const old = others.filter((name) => !isDraft(name)).slice(0, 1 - KEPT);
    for (const name of [...others.filter(isDraft), ...old]) await rm(join(folder, name), { force: true });
  }
}

/** `2026-11-17T09-00-00Z`, which every file system takes. */
function timeName(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

function fileText(job: Job, run: Run, state: string, text: string): string {
  const { schedule, timeZone } = job.timing;
  const due = run.scheduledFor === null ? "on request" : new Date(run.scheduledFor).toISOString();
  const facts = [
    ["job", job.id],
    ["name", job.name],
    ["schedule", `${formatSchedule(schedule, timeZone)} (${timeZone})`],
    ["due", due],
    ["state", state],
    ["deliver", job.deliver],
    ["session", run.sessionId ?? "none"],
    ["tokens", String(run.tokens)],
  ].map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ["---", ...facts, "---", "", text, ""].join("\n");
}
