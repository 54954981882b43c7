/**
 * The page with many browsers: a real gateway, and scripted clients with an event stream each. What a thousand of them
 * take in memory, how soon a message is with all who look at its conversation, whether a gateway that nobody talks to does
 * more because there are more sessions, and whether a long list is read by pages of the same cost.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/open-sessions.js";
import { type Browser, openBrowser } from "../browser.js";
import { median } from "../measure.js";
import type { Outcome } from "../report.js";
import type { Bench } from "../run.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const TERMINAL = "local:terminal";
/** The browsers of one person, who looks at one conversation in all of them. */
const VIEWERS = 8;
const PAGE = 200;
const ROUNDS = 30;
const MB = 2 ** 20;
const TICKS_PER_SECOND = 100;

export async function web({ stores, sizes, folder }: Bench): Promise<Outcome> {
  const [few = 10, many = 10] = [sizes.list[0], sizes.list.at(-1)];
  const small = await atSize(await stores.withSessions(few), join(folder, "few"), sizes);
  const large = await atSize(await stores.withSessions(many), join(folder, "many"), sizes);
  const { browsers } = large;
  return {
    lines: [
      { what: `page, ${browsers} browsers, memory more`, ours: large.memory / MB, raw: null, unit: "MB" },
      {
        what: `page, ${browsers} browsers, message to its viewers, median`,
        ours: quantile(large.times, 0.5),
        raw: null,
        unit: "ms",
      },
      {
        what: `page, ${browsers} browsers, message to its viewers, p99`,
        ours: quantile(large.times, 0.99),
        raw: null,
        unit: "ms",
      },
      {
        what: `page, ${browsers} idle browsers, CPU in a second, ${many} sessions`,
        ours: large.idleMs,
        raw: null,
        unit: "ms",
      },
      {
        what: `page, what an open overview asks every five seconds, ${many} sessions`,
        ours: large.asked,
        raw: null,
        unit: "ms",
      },
      {
        what: `page, ${PAGE} conversations of ${many}, first page`,
        ours: large.firstPage,
        raw: null,
        unit: "ms",
      },
    ],
    targets: [
      { what: `${browsers} browsers: memory more`, value: large.memory / MB, atMost: 150, unit: "MB" },
      {
        what: `${browsers} browsers: message to its viewers, p99`,
        value: quantile(large.times, 0.99),
        atMost: 50,
        unit: "ms",
      },
      {
        what: `${browsers} idle browsers: CPU at ${many} sessions, of that at ${few}`,
        value: large.idleMs / small.idleMs,
        atMost: 1.5,
        unit: "×",
      },
      {
        what: `what open pages ask again and again, at ${many} sessions, of that at ${few}`,
        value: large.asked / small.asked,
        atMost: 1.5,
        unit: "×",
      },
      {
        what: `list of ${many} conversations: last pages, of the first ones`,
        value: large.lastPage / large.firstPage,
        atMost: 2,
        unit: "×",
      },
    ],
  };
}

interface Figures {
  readonly browsers: number;
  readonly memory: number;
  readonly times: readonly number[];
  readonly idleMs: number;
  readonly asked: number;
  readonly firstPage: number;
  readonly lastPage: number;
}

async function atSize(store: string, home: string, sizes: Bench["sizes"]): Promise<Figures> {
  const port = await freePort();
  const people = Array.from({ length: sizes.browsers - VIEWERS }, (_, n) => String(1_000_000 + n));
  mkdirSync(home, { mode: 0o700 });
  const config = {
    ...{ store, agent: { provider: "offline" }, web: { enabled: true, port } },
    people: { allow: { telegram: people } },
    limits: { owners: { messagesPerMinute: "none" } },
    memory: { titles: "none" },
    busy: { momentSeconds: 0 }, // What is waited on purpose for the next message is no time that it takes.
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
  const cookies = await signIn(store, [
    ...Array.from({ length: VIEWERS }, () => TERMINAL),
    ...people.map((id) => `telegram:${id}`),
  ]);
  const gateway = spawn(process.execPath, [MAIN, "gateway"], {
    env: { PATH: process.env.PATH ?? "", HOME: home, BATON_HOME: home },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilServed(url, gateway);
    await sleep(sizes.browsersIdleMs);
    const before = residentOf(gateway);
    const browsers: Browser[] = [];
    for (const cookie of cookies) browsers.push(await openBrowser(url, cookie));
    await sleep(sizes.browsersIdleMs);
    const memory = residentOf(gateway) - before;
    const cpu = cpuMsOf(gateway);
    await sleep(sizes.browsersIdleMs);
    const idleMs = ((cpuMsOf(gateway) - cpu) / sizes.browsersIdleMs) * 1_000;
    const times = await told(browsers.slice(0, VIEWERS), sizes.browserMessages);
    const [reader] = browsers;
    if (!reader) throw new Error("There are no browsers.");
    const asked = await timeToAsk(reader);
    const pages = await pagesOf(reader);
    for (const browser of browsers) browser.close();
    const edge = Math.max(1, Math.min(10, Math.floor(pages.length / 2)));
    return {
      ...{ browsers: browsers.length, memory, times, idleMs, asked },
      firstPage: median(pages.slice(0, edge)),
      lastPage: median(pages.slice(-edge - 1, -1).length > 0 ? pages.slice(-edge - 1, -1) : pages),
    };
  } finally {
    gateway.kill("SIGKILL");
    await once(gateway, "close");
  }
}

/** How long each message took to each of them: until its turn is on their stream. */
async function told(viewers: readonly Browser[], messages: number): Promise<number[]> {
  const times: number[] = [];
  const [writer] = viewers;
  for (let n = 0; n < messages; n++) {
    const seen = viewers.map((viewer) => viewer.next("turn"));
    const ended = viewers.map((viewer) => viewer.next("end"));
    const began = performance.now();
    await writer?.say(`message ${n}`);
    for (const at of await Promise.all(seen)) times.push(at - began);
    await Promise.all(ended);
  }
  return times;
}

/** What pages ask again and again while they are open, all of it, for the owner: how long that takes. */
async function timeToAsk(reader: Browser): Promise<number> {
  const paths = [
    ...["health", "platforms", "turns", "people", "outbox?state=failed", "outbox?state=unknown"].map(
      (path) => `/api/owner/${path}`,
    ),
    ...["/api/work", "/api/jobs", "/api/processes", "/api/conversations?limit=50"],
  ];
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const began = performance.now();
    for (const path of paths) await reader.get(path);
    times.push(performance.now() - began);
  }
  return median(times);
}

/** How long each page of the list took. */
async function pagesOf(reader: Browser): Promise<number[]> {
  const times: number[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const began = performance.now();
    const page: { nextCursor: string | null } = await reader.get(`/api/conversations?limit=${PAGE}${more}`);
    times.push(performance.now() - began);
    cursor = page.nextCursor;
  }
  return times;
}

/** Devices of these people, as their cookies. */
async function signIn(url: string, identities: readonly string[]): Promise<string[]> {
  const { store, sessions } = await openStore({ url });
  const hash = (secret: string): string => createHash("sha256").update(secret).digest("hex");
  const now = Date.now();
  const cookies: string[] = [];
  for (const [n, identity] of identities.entries()) {
    const token = randomBytes(16).toString("base64url");
    await store.devices.offer(hash(`link ${n}`), { identity, alias: null, called: null }, now + 60_000, now);
    const device = { id: `bench${n}`, name: "Benchmark", tokenHash: hash(token) };
    await store.devices.enter(hash(`link ${n}`), device, now);
    cookies.push(`baton=${token}`);
  }
  await sessions.close();
  return cookies;
}

async function untilServed(url: string, gateway: ChildProcess): Promise<void> {
  for (;;) {
    if (gateway.exitCode !== null) throw new Error("The gateway ended.");
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
}

function residentOf({ pid }: ChildProcess): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
}

/** What it used of the processors so far. */
function cpuMsOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
