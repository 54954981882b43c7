/** `baton cron`, run as a person or a script would run it. A chat in the background plays the gateway. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openDb } from "../src/open-sessions.js";
import { openSqlStore } from "../src/store/sql-store.js";
import { baton, makeHome, type RunOptions } from "./support/baton.js";
import { addJob, aJob } from "./support/job-world.js";
import { killAll, PtyChat, pty } from "./terminal/pty-chat.js";

let home: string;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => killAll());

const run = (words: readonly string[], options: RunOptions = {}) => baton(home, ["cron", ...words], options);
const json = async (...words: string[]) => {
  const { code, stdout, stderr } = await run([...words, "--json"]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
};
const NOBODY = "No gateway has run jobs yet. Start `baton gateway`, or open a chat with `baton`.\n";
const NEXT = /Next: \w{3} \d+ \w{3} \d{4} 09:00; .* 09:00; .* 09:00\./;

/** The store of the home folder, as another process has it. */
async function withStore<Result>(
  work: (store: Awaited<ReturnType<typeof openSqlStore>>) => Promise<Result>,
): Promise<Result> {
  const store = await openSqlStore(await openDb(`sqlite:${join(home, "baton.db")}`), 0);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

describe("baton cron add", () => {
  test("says what was understood, with the next runs, and saves it", async () => {
    const added = await run(["add", "every weekday at 9", "send me a digest", "--zone", "Europe/Berlin"]);
    expect(added).toMatchObject({ code: 0, stderr: NOBODY });
    const [first, next, result] = added.stdout.split("\n");
    expect(first).toMatch(
      /^Made the job "send me a digest" \(j_[0-9a-f]{8}\): every weekday at 09:00 \(Europe\/Berlin\)\.$/,
    );
    expect(next).toMatch(NEXT);
    expect(result).toBe("Its result goes to the terminal.");
    const { jobs } = await json("list");
    expect(jobs).toMatchObject([
      {
        name: "send me a digest",
        prompt: "send me a digest",
        command: null,
        schedule: "0 9 * * 1-5",
        timeZone: "Europe/Berlin",
        deliver: "origin",
        state: "active",
        owner: "local:terminal",
        origin: "local:cli",
        lastRun: null,
      },
    ]);
  });

  test("--dry-run shows the same and saves nothing, not even a store", async () => {
    const shown = await run(["add", "every day at 9", "look", "--dry-run"]);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toMatch(NEXT);
    expect(shown.stdout).toMatch(/\nNothing is saved, because of --dry-run\.\n$/);
    expect(await json("add", "every day at 9", "look", "--dry-run")).toMatchObject({
      id: null,
      schedule: "0 9 * * *",
      next: [expect.any(Number), expect.any(Number), expect.any(Number)],
    });
    expect(existsSync(join(home, "baton.db"))).toBe(false);
  });

  test("takes every option, a command, and a heartbeat", async () => {
    const options =
      "--name news --session origin --missed all --grace 3h --overlap queue --jitter 5m --timeout 20m --repeat 4 --model big --tools web,files --daily-tokens 5000 --deliver local,origin";
    expect(await json("add", "every 2h", "read", "the", "news", ...options.split(" "))).toMatchObject({
      name: "news",
      prompt: "read the news",
      session: "origin",
      missed: "all",
      graceMs: 10_800_000,
      overlap: "queue",
      jitterMs: 300_000,
      timeoutMs: 1_200_000,
      repeat: 4,
      left: 4,
      model: "big",
      tools: ["web", "files"],
      dailyTokens: 5_000,
      deliver: "local,origin",
    });
    expect(await json("add", "1h", "df -h --total", "--command")).toMatchObject({
      prompt: null,
      command: "df -h --total",
    });
    expect(await json("add", "1h", "read the mail", "--if", "test -s mail")).toMatchObject({
      prompt: "read the mail",
      command: "test -s mail",
    });
    expect(await json("add", "--heartbeat")).toMatchObject({ name: "heartbeat", schedule: "every 1h" });
    expect(await run(["add", "--heartbeat", "every 2h"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^baton: There is a heartbeat already: j_\w+\. Run `baton cron edit/),
    });
  });

  test.each([
    [[], 2, /^baton: Say when, and what: baton cron add "every weekday at 9"/],
    [["1h"], 2, /^baton: Say when, and what: /],
    [["soonish", "look"], 1, /^baton: Baton can't read "soonish" as a time\. Write `30m`/],
    [["every", "day", "at", "9"], 1, /^baton: Is the time in quotes\? Baton can't read "every" as a time\./],
    [["1h", "look", "--zone", "Mars/Base"], 1, /Mars\/Base/],
    [["1h", "look", "--missed", "never"], 2, /Allowed choices are latest, skip, all\./],
    [
      ["1h", "look", "--repeat", "none"],
      1,
      /^baton: `--repeat` takes a whole number of at least 1, or `off`\./,
    ],
    [["1h", "look", "--deliver", "nowhere"], 1, /^baton: There is no chat "nowhere"/],
    [
      ["1h", "look", "--frobnicate"],
      2,
      /^baton: Unknown option '--frobnicate'\. See `baton cron add --help`\./,
    ],
  ])("%j is refused", async (words, code, why) => {
    expect(await run(["add", ...words])).toMatchObject({
      code,
      stdout: "",
      stderr: expect.stringMatching(why),
    });
    expect((await json("list")).jobs).toEqual([]);
  });

  test("--help lists the home channels", async () => {
    expect((await run(["add", "--help"])).stdout).toMatch(
      /\$ baton cron add --heartbeat\n\nThere are no home channels yet\. Send \/sethome/,
    );
    await run(["add", "1h", "look"]);
    const address = { platform: "telegram", chatId: "-100" };
    await withStore((store) => store.accounts.setHome({ address, name: "Ops \u001b[31mroom" }));
    expect(await run(["add", "-h"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n\nHome channels:\n {2}telegram: Ops room \(telegram:-100\)\n$/),
    });
    const broken = await run(["add", "--help"], { env: { BATON_STORE: "nonsense://" } });
    expect(broken).toMatchObject({ code: 0, stderr: "" });
    expect(broken.stdout).toMatch(/^Usage: baton cron add/);
  });
});

describe("baton cron", () => {
  beforeEach(() => run(["add", "every 2h", "read them", "--name", "the news"]));

  test("list shows jobs of everybody, those that are done only if asked", async () => {
    const { id } = (await json("list")).jobs[0];
    const line = [id, "the news", "every 2h (UTC)", "in 2 h", "the terminal", "local:terminal"];
    const shown = await run(["list"]);
    expect(shown).toMatchObject({ code: 0, stderr: NOBODY });
    expect(shown.stdout.split("\n").map((each) => each.split(/ {2,}/))).toEqual([
      ["JOB", "NAME", "WHEN", "NEXT", "DELIVER", "LAST RUN", "WHO"],
      line,
      [""],
    ]);
    await withStore(async (store) => {
      const now = Date.now();
      const job = await addJob(store.jobs, aJob(now), now);
      const made = await store.jobs.find(job.id);
      if (made)
        await store.jobRuns.decided([[made, { times: [], left: null, nextAt: null, wakeAt: null }]], now);
    });
    expect((await run(["list"])).stdout).toMatch(
      /\n1 more job is done\. To see it, run `baton cron list --all`\.\n$/,
    );
    expect((await run(["list", "--all"])).stdout).toMatch(/ digest .* done .* telegram:ann\n$/);
  });

  test("pause, resume, edit, run, runs and remove name a job by id, beginning of id, or name", async () => {
    const { id } = (await json("list")).jobs[0];
    expect((await run(["pause", "The News"])).stdout).toBe(
      `Paused the job "the news" (${id}). To go on with it, run \`baton cron resume ${id}\`.\n`,
    );
    expect(await run(["pause", id])).toMatchObject({
      code: 1,
      stderr: "baton: The job is already paused.\n",
    });
    expect((await json("list")).jobs[0].state).toBe("paused");
    expect((await run(["resume", id.slice(0, 6)])).stdout).toMatch(/^Resumed the job "the news" .*\nNext: /);
    const tried = await run(["edit", id, "--when", "every day at 9", "--dry-run"]);
    expect(tried.stdout).toMatch(NEXT);
    expect((await json("list")).jobs[0].schedule).toBe("every 2h");
    expect((await run(["edit", id, "--when", "every day at 9", "all", "of", "them"])).stdout).toMatch(
      /^Changed the job "the news" .*: every day at 09:00/,
    );
    expect(await json("edit", id, "--name", "news")).toMatchObject({
      name: "news",
      schedule: "0 9 * * *",
      prompt: "all of them",
    });
    expect(await run(["edit", id])).toMatchObject({
      code: 2,
      stderr: "baton: Say what to change: a new text, --when, or another option.\n",
    });
    expect(await run(["run", "news"])).toEqual({
      code: 0,
      stdout: `The job "news" (${id}) runs as soon as a gateway or a chat is open. Run \`baton cron runs ${id}\` to see its result.\n`,
      stderr: NOBODY,
    });
    expect((await run(["runs", "news"])).stdout).toMatch(
      /^"news" \(j_\w+\): every day at 09:00 .*\nWhat it does: all of them\n.*\n\n.* \(on request\): waits to begin\n$/,
    );
    expect(await json("remove", id)).toEqual({ id, removed: true });
    expect(await run(["remove", id])).toMatchObject({
      code: 1,
      stderr: `baton: There is no job "${id}". There are no jobs.\n`,
    });
    expect((await run(["list"])).stdout).toMatch(/^There are no scheduled jobs\. Make one: /);
  });

  test("list, doctor and --json say if jobs are late, and when somebody last looked", async () => {
    const late = await withStore((store) =>
      addJob(store.jobs, aJob(Date.now() - 3_600_000), Date.now() - 3_600_000),
    );
    const why = new RegExp(
      `Late: the job "digest" \\(${late.id}\\) has waited since .*, for \\d+ (?:min|h)\\. No gateway has run jobs yet\\.`,
    );
    expect(await run(["list"])).toMatchObject({ code: 0, stderr: expect.stringMatching(why) });
    expect((await json("list")).scheduler).toMatchObject({
      lookedAt: null,
      overdue: { id: late.id, since: expect.any(Number) },
      warning: expect.stringMatching(why),
    });
    const { findings } = JSON.parse((await baton(home, ["doctor", "--json"])).stdout);
    expect(findings.find(({ check }: { check: string }) => check === "jobs")).toMatchObject({
      status: "warning",
      finding: expect.stringMatching(why),
    });
    await withStore(async (store) => {
      await store.jobs.remove(late.id);
      await store.accounts.write({ platform: "job", account: "scheduler" }, "looked", String(Date.now()));
    });
    expect(await run(["list"])).toMatchObject({ stderr: "" });
    const well = JSON.parse((await baton(home, ["doctor", "--json"])).stdout);
    expect(well.findings.find(({ check }: { check: string }) => check === "jobs")).toMatchObject({
      status: "ok",
      finding: expect.stringMatching(/^1 active, next "the news" \(j_\w+\) .*, in 2 h$/),
    });
  });

  test.skipIf(!pty)("a chat runs what is due, and shows the result", async () => {
    const { id } = await json("add", "1h", "echo the answer is $((6 * 7))", "--command", "--name", "sum");
    await run(["run", id]);
    const main = new URL("../dist/main.js", import.meta.url).pathname;
    const chat = new PtyChat({ shell: `BATON_HOME='${home}' '${process.execPath}' '${main}' chat` });
    await chat.until(() => chat.vt.text().includes("the answer is 42"));
    await vi.waitUntil(async () => (await json("runs", id)).runs[0].results[0]?.state === "sent", {
      timeout: 60_000,
    });
    const [ran] = (await json("runs", id)).runs;
    expect(ran).toMatchObject({ state: "done", error: null, scheduledFor: null });
    expect(readFileSync(ran.output, "utf8")).toMatch(/\nthe answer is 42\n$/);
    const shown = await run(["runs", "sum"]);
    expect(shown.stdout).toContain(`\n  origin: sent (local:cli)\n  ${ran.output}\n`);
    expect(await run(["list"])).toMatchObject({ stderr: "" }); // Somebody looks.
    expect((await run(["list"])).stdout).toMatch(/ sum .* done (?:just now|\d+ min ago) /);
  });
});
