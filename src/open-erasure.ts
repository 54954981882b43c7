/** Configuration and a store → how a person is erased, and where to look for them afterwards. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { OpenErasure, OpenRetention } from "./cli/opened.js";
import { retentionRules } from "./cli/prune.js";
import { type Config, mediaFolder } from "./config/config.js";
import { type ErasedAmounts, erasePerson } from "./gateway/eraser.js";
import type { ErasedPerson } from "./gateway/erasure.js";
import { OutputFolder } from "./gateway/jobs/output-folder.js";
import { Media, mediaPath, type Swept } from "./gateway/media.js";
import { filesBelow, type ScannedFile, scanFiles } from "./gateway/scan.js";
import type { GatewayStore } from "./gateway/store.js";
import { type ToldWorkSetting, toldWork, whileTold } from "./gateway/told-work.js";
import { logFolder } from "./log/rotating-file.js";
import { openProcesses } from "./open-processes.js";
import { applyTold, type GatewayRetention } from "./open-retention.js";
import { sqliteFile } from "./open-sessions.js";
import { processFolder } from "./process/places.js";
import { Retention, type SessionArchive } from "./session/retention.js";
import type { Sessions } from "./session/sessions.js";
import type { SessionStore } from "./session/store.js";
import { sessionArchive } from "./store/jsonl/archive.js";
import { filesBeside } from "./store/jsonl/archived-files.js";
import { mirroredCopies } from "./store/jsonl/copies.js";
import { Fingerprints } from "./util/fingerprints.js";
import { processHolder } from "./util/holder.js";
import type { OnProblem } from "./util/problem.js";
import { readApart } from "./util/read-apart.js";
import { counted } from "./util/words.js";

/** The readable copies of a home folder, whether they are written now or were once. */
const COPIES = "sessions";

/** A store, and the sessions over it, which close it. */
interface Opened {
  readonly store: SessionStore & GatewayStore;
  readonly sessions: Sessions;
}

export interface ErasureSetting {
  /** Opens the store of the configuration, and closes it with its sessions. */
  readonly open: (purpose: "look" | "change") => Promise<Opened>;
  readonly host: string;
  readonly version: string;
  readonly onProblem: OnProblem;
}

export function openErasure(config: Config, setting: ErasureSetting): OpenErasure {
  return {
    survey: async (whose) => {
      const { store, sessions } = await setting.open("look");
      try {
        return await store.erasure.survey(whose);
      } finally {
        await sessions.close();
      }
    },
    erase: async (whose, onProgress) => {
      const fingerprints = new Fingerprints();
      const amounts = await eraseRows(config, setting, whose, fingerprints, onProgress);
      onProgress("scanning");
      const file = sqliteFile(config.store.reveal());
      const isFile = file !== null && file !== ":memory:";
      const ofStore = isFile ? [file, `${file}-wal`, `${file}-shm`] : [];
      const scanned = [
        ...(await scanFiles(
          ofStore.filter((each) => existsSync(each)),
          fingerprints,
          readApart,
        )),
        ...(await scanFiles(await besideStore(config), fingerprints)),
      ];
      const left = scanned.filter(({ found }) => found > 0).map(leftIn);
      const byHand = (await scanFiles(await untouched(config, file), fingerprints, readApart))
        .filter(({ found }) => found > 0)
        .map((each) => each.file);
      const beside = byHand.map(filesBeside).filter((each) => !byHand.includes(each) && existsSync(each));
      return {
        ...amounts,
        left: [...amounts.left, ...left],
        scanned: isFile
          ? { files: scanned.length, bytes: scanned.reduce((sum, { bytes }) => sum + bytes, 0) }
          : null,
        byHand: [...byHand, ...beside].sort(),
      };
    },
  };
}

async function eraseRows(
  config: Config,
  { open, host, version, onProblem }: ErasureSetting,
  whose: ErasedPerson,
  fingerprints: Fingerprints,
  onProgress: (text: string) => void,
): Promise<ErasedAmounts> {
  const { WORDS } = await import("./store/hiding-db.js");
  const { store, sessions } = await open("change");
  const processes = openProcesses(config, { host, version, store: store.processes, onProblem });
  const outputs = new OutputFolder(config.outputDir);
  try {
    // It says nothing of whom: the row outlives them.
    const begun = { what: "Erasing a person", unit: "steps", total: null };
    let steps = 0;
    return await whileTold(
      toldWork(hereTo(store), begun),
      (told) =>
        erasePerson(whose, {
          store,
          processes,
          media: new Media(mediaFolder(config), store.files, Date.now),
          removeOutput: (id) => outputs.remove(id),
          copies: mirroredCopies(join(config.home, COPIES), sessions),
          fingerprints,
          words: WORDS,
          clock: Date.now,
          onProgress: (text) => {
            told.tell(++steps);
            onProgress(text);
          },
        }),
      ({ sessions, messages }) =>
        `${counted(sessions, "session")} with ${counted(messages, "message")} removed`,
    );
  } finally {
    await processes.shut();
    await sessions.close();
  }
}

function hereTo({ work }: GatewayStore): ToldWorkSetting {
  return { work, holder: processHolder(), clock: Date.now };
}

function leftIn({ file, found }: ScannedFile): string {
  return `${file} still has ${found} of their ids and passages. Stop the gateway and every other program that uses it, then run this command again.`;
}

/** What Baton writes beside the store: copies of sessions, results of jobs, output of processes. */
async function besideStore(config: Config): Promise<string[]> {
  const folders = [join(config.home, COPIES), config.outputDir, processFolder(config.home)];
  return (await Promise.all(folders.map(filesBelow))).flat();
}

/** What Baton made and never changes: backups, stores from before a restore, archives, and the log. */
async function untouched(config: Config, store: string | null): Promise<string[]> {
  const beside = store && existsSync(dirname(store)) ? readdirSync(dirname(store)) : [];
  const before = beside.filter((name) => name.startsWith(`${basename(store ?? "", ".db")}-before-restore-`));
  const archive = config.retention.archive ?? join(config.home, "archive");
  const folders = [join(config.home, "backups"), archive, logFolder(config.home)];
  return [
    ...before.map((name) => join(dirname(store ?? ""), name)),
    ...(await Promise.all(folders.map(filesBelow))).flat(),
  ];
}

/** Removes files that no message uses any more, and closes the store. */
export async function sweepMedia(config: Config, { store, sessions }: Opened): Promise<Swept> {
  try {
    return await new Media(mediaFolder(config), store.files, Date.now).sweep();
  } finally {
    await sessions.close();
  }
}

/** The retention that the settings ask for. A script that asks one question removes nothing. */
export function retentionOf(
  config: Config,
  isUnattended: boolean,
  onDone: (text: string) => void,
): { readonly retention?: GatewayRetention } {
  const rules = retentionRules(config);
  const isSet = rules.endedBeforeMs !== null || rules.maxBytes !== null;
  if (!isSet || isUnattended) return {};
  const { archive: folder } = config.retention;
  return {
    retention: {
      rules,
      archive: folder === null ? null : (sessions) => archiveIn(folder, sessions, config),
      onDone: ({ sessions, messages }) =>
        onDone(
          `Removed ${counted(sessions, "ended session")} with ${counted(messages, "message")}, by \`retention\`.`,
        ),
    },
  };
}

function archiveIn(folder: string, sessions: Sessions, config: Config): SessionArchive {
  return sessionArchive(folder, sessions, (file) => mediaPath(mediaFolder(config), file));
}

/** Removes ended sessions, by hand. Closing it closes the store. */
export async function openRetention(config: Config, opening: Promise<Opened>): Promise<OpenRetention> {
  const { store, sessions } = await opening;
  const retention = new Retention(store, Date.now);
  return {
    plan: (rules) => retention.plan(rules),
    apply: (rules, folder, onRemoved) =>
      applyTold(
        retention,
        rules,
        { archive: folder === null ? null : archiveIn(folder, sessions, config), onRemoved },
        hereTo(store),
      ),
    close: () => sessions.close(),
  };
}
