/**
 * Two people with something in every table. What Ann says, and what is hers, contains `canary` or one of her ids; what Bob says
 * does not. They share a group, which Ann began.
 */
import type { ErasedPerson } from "../gateway/erasure.js";
import type { GatewayStore, NewDelivery, TurnStep } from "../gateway/store.js";
import { identityOf } from "../session/access.js";
import {
  deliveryIdOf,
  type JobId,
  newHandoffId,
  newJobId,
  newProcessId,
  newTurnId,
  type ProcessId,
  type SessionId,
} from "../session/ids.js";
import { platforms } from "../session/platform.js";
import { senderLabel } from "../session/sender.js";
import { Sessions } from "../session/sessions.js";
import { addressOf, formatAddress, parseSource, type SessionSource } from "../session/source.js";
import type { SessionStore } from "../session/store.js";
import type { Message } from "../session/transcript.js";
import { fillPage } from "./erasure-page.js";

const [, HERE = "", THERE = ""] = platforms();
export const ANN = `${HERE}:7001001`;
export const ANN_THERE = `${THERE}:8002002`;
export const BOB = `${HERE}:70010012`; // Ann's id is the beginning of his.
export const ANN_FILES = ["a", "b", "c", "d", "f"].map((letter) => letter.repeat(32));
const ANN_PAGE_FILE = "f".repeat(32);
export const BOB_FILE = "e".repeat(32);
const NOW = Date.UTC(2026, 0, 1);
const NOTHING: TurnStep = { messages: [], deliveries: [], steeredIn: [] };

const named = { user_name: "Ann canary-name" };
const annDm = parseSource({ platform: HERE, chat_id: "7001001", user_id: "7001001", ...named });
const annThere = parseSource({ platform: THERE, chat_id: "d8002002", user_id: "8002002", ...named });
const bobDm = parseSource({ platform: HERE, chat_id: "70010012", user_id: "70010012", user_name: "Bob" });
const group = { platform: HERE, chat_id: "-100", chat_type: "group", chat_name: "Team" };
const annInGroup = parseSource({ ...group, user_id: "7001001", ...named });
const bobInGroup = parseSource({ ...group, user_id: "70010012", user_name: "Bob" });

type FilledStore = SessionStore & GatewayStore;

export interface ErasureWorld {
  readonly ann: ErasedPerson;
  readonly annSession: SessionId;
  readonly groupSession: SessionId;
  readonly bobSession: SessionId;
  /** A session of Bob's that is in Ann's lane. */
  readonly lentSession: SessionId;
  /** Ann's, Bob's, and two of Bob's whose conversations are in her private chat and in the group. */
  readonly jobs: readonly JobId[];
  readonly processes: readonly ProcessId[];
}

/** A text that is longer than a page of any engine. */
function longText(word: string): string {
  return Array.from({ length: 3_000 }, (_, n) => `${word}${n * 7919}`).join(" ");
}

function nameOfFile(file: string): string {
  return file === BOB_FILE ? "saw.png" : "canary-file.png";
}

function wordOf({ userName }: SessionSource): string {
  return userName === "Bob" ? "bob" : "canary";
}

function said(by: SessionSource, content: string, files: readonly string[] = []): Message {
  const attachments = files.map((file) => ({ file, mediaType: "image/png", name: nameOfFile(file) }));
  const author = { id: identityOf(by) ?? "", role: "member" };
  const name = by.userName ?? "";
  return { role: "user", content, name, author, ...(files.length > 0 ? { attachments } : {}) };
}

export async function fillErasureWorld(store: FilledStore, home = "home"): Promise<ErasureWorld> {
  const sessions = new Sessions(store, { clock: () => NOW });
  await store.people.ask(
    { identity: ANN, platform: HERE, called: "Ann", codeHash: "code of ann", expiresAt: NOW + 1 },
    NOW,
  );
  const person = { id: "p_a11ce", role: "member", name: "canary-person" } as const;
  await store.people.approve("owner", "code of ann", person, NOW);
  await store.people.join(ANN, ANN_THERE, "p_unused", NOW);
  await store.people.join(BOB, `${THERE}:9`, "p_b0b", NOW);
  await store.people.ask(
    {
      identity: ANN_THERE,
      platform: THERE,
      called: "canary-called",
      codeHash: "code there",
      expiresAt: NOW + 1,
    },
    NOW,
  );
  await store.people.showLink(ANN, "link of ann", NOW + 1);
  await store.people.link(ANN, "no such code", null, "p_x", NOW); // A wrong try.
  await store.files.taking([...ANN_FILES, BOB_FILE], NOW);

  // Conversations of her own, on both platforms.
  const [fileA = "", fileB = "", fileC = "", fileD = ""] = ANN_FILES;
  const own = await sessions.receive(annDm, said(annDm, `canary-own ${longText("canaryown")}`, [fileA]));
  const annSession = own.entry.sessionId;
  await sessions.append(annSession, {
    role: "assistant",
    content: "canary-answer",
    reasoning: "canary-reasoning",
    toolCalls: [{ id: "call1", name: "terminal", arguments: '{"command":"canary-argument"}' }],
  });
  await sessions.append(annSession, {
    role: "tool",
    toolCallId: "call1",
    name: "terminal",
    content: longText("canarytool"),
  });
  await sessions.setTitle(annSession, "canary-title");
  await sessions.update(own.entry.key, {
    summary: "canary-summary",
    consolidatedThrough: 1,
    metadata: { note: "canary-metadata" },
  });
  await sessions.receive(annThere, said(annThere, "canary-there"));
  await sessions.reset(sessions.laneOf(annThere).key);
  await sessions.receive(annThere, said(annThere, "canary-again"));

  // The group, which she began.
  const shared = await sessions.receive(
    annInGroup,
    said(annInGroup, `canary-group ${longText("canarygroup")}`, [fileB]),
  );
  const groupSession = shared.entry.sessionId;
  await sessions.append(groupSession, { role: "assistant", content: "Noted for the team." });
  await sessions.append(groupSession, said(bobInGroup, "Bob has the ladder and the saw.", [BOB_FILE]));

  // What Bob has alone, and a session of his that is in her lane.
  const bobs = await sessions.receive(bobDm, said(bobDm, "Bob plants beans in row nine."));
  const bobSession = bobs.entry.sessionId;
  await sessions.setTitle(bobSession, "Beans");
  await sessions.reset(bobs.entry.key);
  const lane = parseSource({ ...annDm, threadId: "t1" });
  await sessions.switchTo(lane, bobSession);

  await fillPage(store, { identity: ANN, word: "canary", sessionId: annSession, file: ANN_PAGE_FILE }, NOW);
  await fillPage(store, { identity: BOB, word: "bob", sessionId: bobSession, file: null }, NOW);
  await fillJourneys(store, sessions, { annSession, groupSession, fileC, fileD });
  const jobs = await fillJobs(store);
  const processes = await fillProcesses(store, home, annSession, groupSession);

  await store.spending.grant([ANN], "modelCalls", 3, 10, "2026-01-01");
  await store.spending.grant([BOB], "modelCalls", 2, 10, "2026-01-01");
  for (const identity of [ANN, BOB]) {
    const approval = {
      key: shared.entry.key,
      identity,
      digest: "digest",
      shown: `${identity === ANN ? "canary-shown" : "ls"}`,
    };
    await store.standing.add(approval, NOW);
  }
  await store.accounts.setHome({ address: addressOf(annDm), name: "canary-home", word: "anns" });
  await store.accounts.setHome({ address: addressOf(bobDm), name: "Bob", word: "bobs" });
  await store.handoffs.request(
    {
      id: newHandoffId(),
      sessionId: groupSession,
      target: formatAddress(addressOf(annDm)),
      asker: { source: annInGroup, account: "bot", holder: "" },
    },
    NOW,
  );
  await sessions.indexAll();
  const ann = { id: person.id, identities: [ANN, ANN_THERE] };
  await fillMemory(store, annSession, bobSession);
  await fillGroupMemory(store, groupSession);
  return { ann, annSession, groupSession, bobSession, lentSession: bobSession, jobs, processes };
}

async function fillJourneys(
  store: FilledStore,
  sessions: Sessions,
  {
    annSession,
    groupSession,
    fileC,
    fileD,
  }: Record<"annSession" | "groupSession", SessionId> & Record<"fileC" | "fileD", string>,
): Promise<void> {
  const answer = (n: string, source: SessionSource, more: Partial<NewDelivery>): NewDelivery => ({
    deliveryId: deliveryIdOf("d", n),
    account: "bot",
    holder: "me",
    address: addressOf(source),
    purpose: "reply",
    text: `${wordOf(source)}-delivery-${n}`,
    sessionId: null,
    shown: true,
    ...more,
  });
  let n = 0;
  const accept = async (source: SessionSource, kind: "message" | "command", text: string, file?: string) => {
    const attachments = file
      ? { attachments: [{ file, mediaType: "image/png", name: "canary-inbox.png" }] }
      : {};
    const { key } = sessions.laneOf(source);
    const item = await store.inbox.accept(
      {
        platform: source.platform,
        account: "bot",
        kind,
        key,
        source,
        messageId: `m${++n}`,
        text,
        ...attachments,
      },
      "me",
      NOW,
    );
    if (!item) throw new Error("It was there already.");
    return item;
  };
  const answered = async (source: SessionSource, text: string, end: "done" | null, file?: string) => {
    const item = await accept(source, "message", text, file);
    const begun = await sessions.resolveIn(source, {}, said(source, text), (request) =>
      store.turns.begin(newTurnId(), item, request, { holder: "me", leaseMs: 100 }, () => []),
    );
    if (begun.kind !== "begun") throw new Error(begun.kind);
    const { turn } = begun;
    await store.journal.planned(
      turn,
      { id: "c", name: "terminal", arguments: `${wordOf(source)}-journal` },
      `${wordOf(source)}-said`,
    );
    if (end === null) return;
    const reply = answer(turn.id, source, { sessionId: turn.sessionId, turnId: turn.id });
    await store.turns.finish(turn, end, { ...NOTHING, deliveries: [reply] }, `${wordOf(source)}-error`, NOW);
  };
  await answered(annDm, "canary-inbox", "done", fileC);
  await answered(annInGroup, "canary-inbox-group", "done", fileD);
  const item = await accept(annInGroup, "command", "/canary-command");
  await store.inbox.beginCommand(item.id, "me");
  const told = answer("told", annInGroup, {
    deliveryId: deliveryIdOf("inbox", item.id, 0),
    purpose: "notice",
  });
  await store.inbox.finishCommand(item.id, [told], NOW);
  await store.outbox.add(
    [
      answer("dm", annDm, { shown: false }),
      answer("who", annInGroup, { text: `You are ${ANN}.` }),
      answer("bob", bobInGroup, { text: "For Bob.", sessionId: groupSession }),
    ],
    NOW,
  );
  // The gateway that ran it has ended.
  const cut = await accept(annInGroup, "command", "/canary-cut-off");
  await store.inbox.beginCommand(cut.id, "me");
  await answered(annThere, "canary-running", null);
  await answered(bobInGroup, "Bob asks for rain.", "done");
  await accept(annInGroup, "message", "canary-waiting");
  expectSame(annSession, (await sessions.current(sessions.laneOf(annDm).key))?.sessionId);
}

function expectSame(one: unknown, other: unknown): void {
  if (one !== other) throw new Error("The world is not as it should be.");
}

async function fillJobs(store: FilledStore): Promise<JobId[]> {
  const ids: JobId[] = [];
  const keyOf = (source: SessionSource) => new Sessions(store).laneOf(source).key;
  for (const [owner, by, word, place] of [
    [ANN, annDm, "canary", annDm],
    [BOB, bobDm, "bob", bobDm],
    // His conversations were handed off, into her private chat and into a group that she began.
    [BOB, bobDm, "bob-lent", annDm],
    [BOB, bobDm, "bob-group", annInGroup],
  ] as const) {
    const id = newJobId();
    ids.push(id);
    const job = {
      id,
      name: `${word}-job`,
      prompt: `${word}-prompt`,
      command: `${word}-command`,
      session: "own" as const,
      model: null,
      tools: null,
      timeoutMs: 1,
      dailyTokens: null,
      timing: { schedule: { kind: "every" as const, everyMs: 60_000 }, timeZone: "UTC", from: NOW },
      catchUp: { missed: "latest" as const, graceMs: 1 },
      overlap: "skip" as const,
      jitterMs: 0,
      repeat: null,
      deliver: "origin",
      by,
      owner,
      origin: { key: keyOf(place), source: place, account: "bot" },
    };
    await store.jobs.add(job, { nextAt: NOW, wakeAt: NOW }, [owner], 9, NOW);
    await store.jobs.ask(id, NOW);
  }
  return ids;
}

/** What is remembered, and a summary of each. One of the two fits: Ann's session has one already, Bob's has one message. */
async function fillMemory(store: FilledStore, annSession: SessionId, bobSession: SessionId): Promise<void> {
  for (const [sessionId, identity, word] of [
    [annSession, ANN, "canary"],
    [bobSession, BOB, "beans"],
  ] as const) {
    const owner = `person:${identity}`;
    await store.memory.add([owner], owner, `${word}-note`, "agent", 4_000, NOW);
    for (const through of [1, 2]) {
      const claim = await store.consolidations.claim(sessionId, { holder: "x", leaseMs: 1_000 }, NOW);
      if (!claim) throw new Error("Nobody else has it.");
      await store.consolidations.record(
        claim,
        {
          through,
          count: 1,
          summary: { text: `${word}-summary ${through}`, standing: [`${word}-standing ${through}`] },
          facts: { owner, texts: [`${word}-fact ${through}`], most: 4_000 },
          spent: { identity, uses: [{ model: "m", usage: { inputTokens: 1 } }] },
        },
        NOW,
      );
    }
  }
}

/** A summary of the group, with what both asked for as long as it lasts. */
async function fillGroupMemory(store: FilledStore, groupSession: SessionId): Promise<void> {
  const wish = (by: SessionSource, words: string): string => {
    const { name, author } = { name: by.userName, author: { id: identityOf(by) ?? "", role: "member" } };
    return `[${senderLabel({ name, author })}] ${words}`;
  };
  for (const through of [1, 2]) {
    const claim = await store.consolidations.claim(groupSession, { holder: "x", leaseMs: 1_000 }, NOW);
    if (!claim) throw new Error("Nobody else has it.");
    const standing = [
      wish(annInGroup, `Always sign as canary-wish ${through}.`),
      wish(bobInGroup, `Always greet bob-wish ${through}.`),
    ];
    const spent = { identity: BOB, uses: [] };
    await store.consolidations.record(
      claim,
      { through, count: 1, summary: { text: "The team plans.", standing }, facts: null, spent },
      NOW,
    );
  }
}

async function fillProcesses(
  store: FilledStore,
  home: string,
  annSession: SessionId,
  groupSession: SessionId,
): Promise<ProcessId[]> {
  const ids: ProcessId[] = [];
  for (const [sessionId, by, word] of [
    [annSession, annDm, "canary-process"],
    [groupSession, annInGroup, "canary-process-group"],
    [groupSession, bobInGroup, "bob-process"],
  ] as const) {
    const id = newProcessId();
    ids.push(id);
    const watch = { checkIntervalMs: null, notifyOnComplete: false, patterns: [`${word}-pattern`] };
    await store.processes.add(
      {
        id,
        home,
        sessionId,
        by,
        command: word,
        workdir: `/${word}`,
        environment: "here",
        pty: false,
        walled: false,
        watch,
      },
      { perSession: 9, inAll: 9 },
      NOW,
    );
    await store.processes.ended(id, { kind: "lost", why: `${word} was lost` }, NOW);
  }
  return ids;
}
