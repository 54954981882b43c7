import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { aJob } from "../../../test/support/job-world.js";
import type { Job, Run } from "../../schedule/job.js";
import type { RunId, SessionId } from "../../session/ids.js";
import { OutputFolder } from "./output-folder.js";

const NOW = Date.UTC(2026, 10, 17, 9);
let root: string;
let folder: OutputFolder;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "baton-output-"));
  folder = new OutputFolder(join(root, "output"));
});
afterEach(() => rm(root, { recursive: true }));

const job = aJob(NOW, { name: 'a "b"\n---\nstate: "done"' }) as Job;
const run = (id: number, given: Partial<Run> = {}): Run => ({
  id: id as RunId,
  jobId: job.id,
  scheduledFor: NOW,
  state: "ended",
  error: null,
  sessionId: "s" as SessionId,
  madeAt: NOW + id * 1_000,
  startedAt: null,
  endedAt: null,
  tokens: 12,
  said: null,
  output: null,
  ...given,
});
const files = () => readdir(join(root, "output", job.id));

it("has one Markdown file a run, which nobody else can read", async () => {
  const path = await folder.write(job, run(1, { startedAt: NOW }), "done", "# News\n");
  expect(path).toBe(`${job.id}/2026-11-17T09-00-00Z-1.md`);
  const file = join(root, "output", path);
  const [, facts = "", ...text] = (await readFile(file, "utf8")).split(/^---$/m);
  expect(text.join("---").trim()).toBe("# News");
  const lines = facts.trim().split("\n");
  expect(lines.map((line) => line.slice(0, line.indexOf(":")))).toEqual([
    ...["job", "name", "schedule", "due", "state", "deliver", "session", "tokens"],
  ]);
  expect(lines[1]).toBe(`name: ${JSON.stringify(job.name)}`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(root, "output", job.id))).mode & 0o777).toBe(0o700);
});

it("has the same file for the same run, and no drafts", async () => {
  const first = await folder.write(job, run(1), "done", "before");
  expect(await folder.write(job, run(1), "done", "after")).toBe(first);
  expect(await files()).toHaveLength(1);
  expect(await readFile(join(root, "output", first), "utf8")).toContain("after");
});

it("keeps the last hundred of a job", async () => {
  for (let id = 1; id <= 103; id++) await folder.write(job, run(id), "done", "x");
  const kept = await files();
  expect(kept).toHaveLength(100);
  expect(kept.sort()[0]).toContain("-4.md");
});

it("keeps what was just written, also if the clock was set back", async () => {
  for (let id = 1; id <= 100; id++) await folder.write(job, run(id), "done", "x");
  const path = await folder.write(job, run(101, { startedAt: NOW - 3_600_000 }), "done", "x");
  expect(await files()).toHaveLength(100);
  expect(await readFile(join(root, "output", path), "utf8")).toContain("x");
});

it("is rid of the files of jobs that are gone, and of nothing else", async () => {
  const gone = aJob(NOW) as Job;
  await folder.tidy(async () => false); // There is no folder.
  await folder.write(job, run(1), "done", "x");
  await folder.write(gone, run(2), "done", "x");
  await writeFile(join(root, "output", "notes.txt"), "mine");
  await folder.tidy(async (id) => id === job.id);
  expect((await readdir(join(root, "output"))).sort()).toEqual([job.id, "notes.txt"].sort());
});
