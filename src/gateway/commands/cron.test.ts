/** `/cron`, as people write it, and what `/status` says about jobs. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, World } from "../../../test/support/gateway-world.js";
import { JOB_OPTIONS } from "../../../test/support/job-world.js";
import type { Job } from "../../schedule/job.js";
import { newJobId } from "../../session/ids.js";

const HERE = "telegram";
const people = {
  owners: { [HERE]: ["boss"] },
  allow: { [HERE]: ["ann", "bob"] },
  guests: { [HERE]: ["guest"] },
};
const team = { chatId: "-100", chatType: "group", chatName: "Team" } as const;
const HOUR_MS = 3_600_000;

let world: World;
let ann: Chat;
const open = async (runsHere = true): Promise<void> => {
  const gateway = { jobs: { ...JOB_OPTIONS, runsHere } };
  world = await World.open({ platform: HERE, people, gateway });
  ann = world.chat("ann");
  if (runsHere)
    await vi.waitUntil(async () => (await desk().scheduler()).lookedAt !== null, { timeout: 30_000 });
};
beforeEach(() => open());
afterEach(() => world.close());

const desk = () => {
  if (!world.gateway.jobs) throw new Error("The gateway has no jobs.");
  return world.gateway.jobs.desk;
};
const jobs = (): Promise<Job[]> => desk().list(null);
const only = async (): Promise<Job> => {
  const [job, ...more] = await jobs();
  if (!job || more.length > 0) throw new Error("There is not exactly one job.");
  return job;
};

describe("/cron add", () => {
  it("makes a job of the person who asks, in their chat, and says what was understood", async () => {
    const said = await ann.ask("/cron add every weekday at 9: send me a digest");
    const job = await only();
    expect(said).toBe(
      [
        `Made the job "send me a digest" (${job.id}): every weekday at 09:00 (UTC).`,
        "Next: Mon 12 Jan 2026 09:00; Tue 13 Jan 2026 09:00; Wed 14 Jan 2026 09:00.",
        "Its result goes to Telegram, DM with Ann.",
      ].join("\n"),
    );
    expect(job).toMatchObject({
      prompt: "send me a digest",
      command: null,
      deliver: "origin",
      owner: `${HERE}:ann`,
      by: { platform: HERE, userId: "ann" },
      origin: { key: ann.key, source: { chatId: "ann" } },
    });
  });

  it("takes all options, before the colon or at the end", async () => {
    const said = await ann.ask(
      '/cron add every day at 9 --name "The news" --zone Europe/Berlin --session origin --missed all --grace 3h: read the news --overlap queue --jitter 5m --timeout 20m --repeat 4 --model big --tools web,files --daily-tokens 5000 --deliver local,origin',
    );
    expect(await only()).toMatchObject({
      name: "The news",
      prompt: "read the news",
      session: "origin",
      catchUp: { missed: "all", graceMs: 3 * HOUR_MS },
      overlap: "queue",
      jitterMs: 300_000,
      timeoutMs: 1_200_000,
      repeat: 4,
      model: "big",
      tools: ["web", "files"],
      dailyTokens: 5_000,
      deliver: "local,origin",
      timing: { timeZone: "Europe/Berlin", schedule: { kind: "cron", expression: "0 9 * * *" } },
    });
    expect(said.split("\n").slice(2)).toEqual([
      "Its result goes to a file; Telegram, DM with Ann.",
      "Options: in the conversation where it was made; runs 4 times; model big; only the tools web, files; at most 5,000 tokens a day; missed times: all (up to 3h late); waits if the run before is not over; up to 5m later.",
    ]);
  });

  it("takes a command only of somebody who may run commands", async () => {
    expect(await ann.ask("/cron add 1h --command: df -h --total")).toBe(
      "You may not run commands here, so a job of yours can't either.",
    );
    expect(await jobs()).toEqual([]);
    const boss = world.chat("boss");
    await boss.ask("/cron add 1h --command: df -h --total");
    expect(await only()).toMatchObject({ prompt: null, command: "df -h --total" });
    expect(await boss.ask("/cron add 1h --if 'test -s mail': read the mail")).toContain(
      "Options: only if this prints something: `test -s mail`.",
    );
  });

  it.each([
    ["add", /^Write when, a colon, and what: .* Write `30m`/],
    ["add every day at 9 send me a digest", /^Write when, a colon, and what/],
    ["add 1h:", /^Write when, a colon, and what/],
    ["add soonish: look", /^Baton can't read "soonish" as a time\. Write `30m`/],
    ["add 1h --zone Mars/Base: look", /Mars\/Base/],
    ["add 1h --missed never: look", /^`missed` is one of latest, skip, all, not "never"\./],
    ["add 1h --repeat 0: look", "`--repeat` takes a whole number of at least 1, or `off`."],
    [
      "add 1h --deliver nowhere: look",
      /^There is no chat "nowhere".* For `deliver`: Write `origin` for this chat/,
    ],
    ["add 1h --command --if x: look", /^`--command` and `--if` can't be used together/],
    ["constructor", /^There is no `\/cron constructor`\./],
    ["frobnicate", /^There is no `\/cron frobnicate`\.\n\n- `\/cron` lists your jobs/],
    ["ad 1h: look", /^There is no `\/cron ad`\. Did you mean "add"\?/],
    ["help", /^- `\/cron` lists your jobs/],
    ["pause", "Say which job: its id or its name. Send /cron to list them."],
    ["pause nothing", 'There is no job "nothing". There are no jobs.'],
    ["edit", /^- `\/cron` lists your jobs/],
  ])("/cron %s is refused with what to write", async (words, why) => {
    expect(await ann.ask(`/cron ${words}`)).toMatch(why);
    expect(await jobs()).toEqual([]);
  });

  it("is not for guests", async () => {
    expect(await world.chat("guest").ask("/cron add 1h: look")).toMatch(/^A guest can't use \/cron/);
  });

  it("says if no gateway would run it", async () => {
    await world.close();
    await open(false);
    expect(await ann.ask("/cron add 1h: look")).toMatch(
      /\nNo gateway has run jobs yet\. Start `baton gateway`, or open a chat with `baton`\.$/,
    );
    expect(await ann.ask("/cron run look")).toMatch(
      / runs as soon as a gateway or a chat is open\. No gateway has run jobs yet\./,
    );
  });
});

describe("/cron", () => {
  it("lists the jobs of the person; in a group only those of the group, and never those of others", async () => {
    const group = world.chat("ann", team);
    expect(await ann.ask("/cron")).toMatch(
      /^You have no scheduled jobs here\. To make one, send `\/cron add/,
    );
    await ann.ask("/cron add 1h --name mine: look");
    world.now += 1; // The list begins with the oldest.
    await group.ask("/cron add every 2h --name ours: look");
    const [mine, ours] = await jobs();
    const lines = [
      `- "mine" (${mine?.id}): once, Sat 10 Jan 2026 13:00 (UTC); in 60 min`,
      `- "ours" (${ours?.id}): every 2h (UTC); next Sat 10 Jan 2026 14:00, in 2 h`,
    ];
    expect(await ann.ask("/cron")).toBe(lines.join("\n"));
    expect(await group.ask("/cron list")).toBe(lines[1]);
    expect(await world.chat("bob", team).ask("/cron")).toMatch(/^You have no scheduled jobs here/);
    expect(await world.chat("bob").ask(`/cron remove ${mine?.id}`)).toMatch(/^There is no job /);
    expect(await jobs()).toHaveLength(2);
  });

  it("shows jobs that are done only if asked", async () => {
    await ann.ask("/cron add 1h --name mine: look");
    const job = await only();
    await world.store.jobRuns.decided(
      [[job, { times: [], left: null, nextAt: null, wakeAt: null }]],
      world.now,
    );
    expect(await ann.ask("/cron")).toMatch(/\n1 more job is done\. To see it, send `\/cron all`\.$/);
    expect(await ann.ask("/cron all")).toMatch(/^- "mine" .*; done$/);
  });
});

describe("a job of the list", () => {
  beforeEach(() => ann.ask('/cron add every 2h --name "the news": read them'));

  it("is paused and resumed, by its id, the beginning of its id, or its name", async () => {
    const { id } = await only();
    expect(await ann.ask(`/cron pause ${id.slice(0, 6)}`)).toBe(
      `Paused the job "the news" (${id}). To go on with it, send \`/cron resume ${id}\`.`,
    );
    expect((await only()).state).toBe("paused");
    expect(await ann.ask("/cron pause the news")).toBe("The job is already paused.");
    expect(await ann.ask('/cron resume "The News"')).toMatch(/^Resumed the job .*\nNext: /);
    expect((await only()).state).toBe("active");
    expect(await ann.ask("/cron resume the news")).toBe("The job is not paused.");
  });

  it("is changed: another time, another text, an option", async () => {
    const { id } = await only();
    expect(await ann.ask(`/cron edit ${id} every day at 8:`)).toMatch(
      /^Changed the job .*: every day at 08:00/,
    );
    await ann.ask('/cron edit "the news" read "all" of them');
    expect(await only()).toMatchObject({
      prompt: 'read "all" of them',
      timing: { schedule: { kind: "cron" } },
    });
    await ann.ask(`/cron edit ${id} --repeat 3 --name news`);
    await ann.ask("/cron edit news every 3h: both --repeat off");
    expect(await only()).toMatchObject({
      name: "news",
      prompt: "both",
      repeat: null,
      timing: { schedule: { kind: "every", everyMs: 3 * HOUR_MS } },
    });
    expect(await ann.ask("/cron edit news")).toMatch(/^Say what to change: /);
    expect(await ann.ask("/cron edit news sometimes: x")).toMatch(/^Baton can't read "sometimes" as a time/);
    expect(await only()).toMatchObject({ prompt: "both" });
  });

  it("runs when it is asked for, and its runs are shown", async () => {
    const { id } = await only();
    expect(await ann.ask(`/cron runs ${id}`)).toBe(
      `"the news" (${id}): every 2h (UTC); next Sat 10 Jan 2026 14:00, in 2 h.\nWhat it does: read them\nIt has not run yet.`,
    );
    expect(await ann.ask("/cron run the news")).toBe(`The job "the news" (${id}) runs now.`);
    await vi.waitUntil(async () => (await desk().runs(await only(), 1))[0]?.results[0]?.state === "sent", {
      timeout: 30_000,
    });
    expect((await ann.ask("/cron runs the news")).split("\n").slice(2)).toEqual([
      "The last runs:",
      expect.stringMatching(/^- Sat 10 Jan 2026 12:00 \(on request\): done; .*origin: sent$/),
    ]);
  });

  it("is removed", async () => {
    const { id } = await only();
    expect(await ann.ask(`/cron remove ${id}`)).toBe(`Removed the job "the news" (${id}).`);
    expect(await jobs()).toEqual([]);
  });
});

it("/cron heartbeat makes one job, with a budget", async () => {
  expect(await ann.ask("/cron heartbeat every 30m")).toMatch(
    /^Made the job "heartbeat" .*: every 30m.*at most 20,000 tokens a day/s,
  );
  expect(await ann.ask("/cron heartbeat")).toMatch(
    /^You have the job "heartbeat" \(j_\w+\) already: every 30m/,
  );
  expect(await jobs()).toHaveLength(1);
});

describe("/status", () => {
  const late = async (owner: string, name: string): Promise<void> => {
    await world.close();
    await open(false);
    await world.store.jobs.add(
      {
        ...(await desk().preview({ schedule: "1h", prompt: "look", name }, null)).setting,
        id: newJobId(),
        by: world.chat(owner).source,
        owner: `${HERE}:${owner}`,
        origin: { key: world.chat(owner).key, source: world.chat(owner).source, account: "bot" },
      },
      { nextAt: world.now + HOUR_MS, wakeAt: world.now + HOUR_MS },
      [`${HERE}:${owner}`],
      10,
      world.now,
    );
  };

  it("says how many jobs are active, and which is next", async () => {
    expect(await ann.ask("/status")).not.toContain("Jobs:");
    await ann.ask("/cron add 2h --name later: look");
    await ann.ask("/cron add 1h --name sooner: look");
    expect(await ann.ask("/status")).toMatch(
      /\nJobs: 2 active, next "sooner" \(j_\w+\) Sat 10 Jan 2026 13:00, in 60 min \(see \/cron\)\./,
    );
    expect(await world.chat("bob").ask("/status")).not.toContain("Jobs:");
  });

  it("says if the scheduler is late, and names the job only to those who may see it", async () => {
    await late("ann", "secret");
    await world.chat("bob").ask("/cron add 5h: look");
    world.now += 3 * HOUR_MS;
    expect(await ann.ask("/status")).toMatch(
      /\nLate: the job "secret" \(j_\w+\) has waited since Sat 10 Jan 2026 13:00, for 2 h\. No gateway has run jobs yet\./,
    );
    expect(await ann.ask("/cron")).toMatch(/\nLate: the job "secret"/);
    for (const other of ["bob", "boss"])
      expect(await world.chat(other).ask("/status")).toMatch(/\nLate: a job has waited since /);
    expect(await world.chat("guest").ask("/status")).not.toContain("Late");
  });
});
