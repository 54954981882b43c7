/**
 * Numbered migrations, applied in order inside one transaction. Processes that start at once migrate once; a schema
 * from a newer Baton is refused, not touched.
 */
import { StoreError } from "../../session/errors.js";
import type { Db, Dialect } from "../db.js";
import { heart } from "./001-heart.js";
import { journey } from "./002-journey.js";
import { tools } from "./003-tools.js";
import { people } from "./004-people.js";
import { platforms } from "./005-platforms.js";
import { files } from "./006-files.js";
import { moves } from "./007-moves.js";
import { stops } from "./008-stops.js";
import { answers } from "./009-answers.js";
import { authors } from "./010-authors.js";
import { limits } from "./011-limits.js";
import { holders } from "./012-holders.js";
import { peopleVersion } from "./013-people-version.js";
import { approvals } from "./014-approvals.js";
import { platformLists } from "./015-platform-lists.js";
import { purposes } from "./016-purposes.js";
import { missingFiles } from "./017-missing-files.js";
import { processes } from "./018-processes.js";
import { matchTimes } from "./019-match-times.js";
import { jobs } from "./020-jobs.js";
import { namedHomes } from "./021-named-homes.js";
import { notes } from "./022-notes.js";
import { usage } from "./023-usage.js";
import { summaries } from "./024-summaries.js";
import { erasures } from "./025-erasures.js";
import { searchLabels } from "./026-search-labels.js";
import { tries } from "./027-tries.js";
import { undelivered } from "./028-undelivered.js";
import { buttons } from "./031-buttons.js";
import { answersByMessage } from "./033-answers-by-message.js";
import { awaitedFiles } from "./034-awaited-files.js";
import { terminals } from "./035-terminals.js";
import { answeredMessage } from "./036-answered-message.js";
import { lentLanes } from "./037-lent-lanes.js";
import { web } from "./038-web.js";

type Migration = (dialect: Dialect) => readonly string[];

/** The place in the list, from 1, is the version. */
const MIGRATIONS: readonly Migration[] = [
  heart,
  journey,
  tools,
  people,
  platforms,
  files,
  moves,
  stops,
  answers,
  authors,
  limits,
  holders,
  peopleVersion,
  approvals,
  platformLists,
  purposes,
  missingFiles,
  processes,
  matchTimes,
  jobs,
  namedHomes,
  notes,
  usage,
  summaries,
  erasures,
  searchLabels,
  tries,
  undelivered,
  buttons,
  answersByMessage,
  awaitedFiles,
  terminals,
  answeredMessage,
  lentLanes,
  web,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export async function migrate(db: Db, now: number): Promise<void> {
  if ((await schemaVersion(db)) === SCHEMA_VERSION) return;
  await db.transaction(
    async (tx) => {
      const { dialect } = db;
      if (dialect.lockMigrations) await tx.all(dialect.lockMigrations);
      await tx.run(
        `CREATE TABLE IF NOT EXISTS migrations (version ${dialect.int} PRIMARY KEY, applied_at ${dialect.int} NOT NULL) ${dialect.tableEnd}`,
      );
      const row = await tx.get("SELECT coalesce(max(version), 0) AS version FROM migrations");
      const present = Number(row?.version ?? 0);
      if (present > SCHEMA_VERSION) throw tooNew(present);
      for (let version = present + 1; version <= SCHEMA_VERSION; version++) {
        for (const statement of MIGRATIONS[version - 1]?.(dialect) ?? []) await tx.run(statement);
        await tx.run("INSERT INTO migrations (version, applied_at) VALUES (?, ?)", version, now);
      }
    },
    { isLong: true },
  );
}

/** The version of the store, 0 where it is empty. */
export async function schemaVersion(db: Db): Promise<number> {
  if (!(await db.get(db.dialect.findTable, "migrations"))) return 0;
  const row = await db.get("SELECT max(version) AS version FROM migrations");
  const version = Number(row?.version ?? 0);
  if (version > SCHEMA_VERSION) throw tooNew(version);
  return version;
}

/** Refuses a store that this Baton can't read as it is. An empty one is fine. */
export function checkReadable(version: number): void {
  if (version === 0 || version === SCHEMA_VERSION) return;
  throw new StoreError(
    "schema_too_old",
    `An older Baton wrote this store (schema ${version}; this Baton uses ${SCHEMA_VERSION}). Run \`baton backup\`, then \`baton\` or \`baton gateway\` to update the store.`,
  );
}

function tooNew(version: number): StoreError {
  return new StoreError(
    "schema_too_new",
    `This store was written by a newer Baton (schema ${version}; this one knows up to ${SCHEMA_VERSION}). Update Baton; the store was left as it is.`,
  );
}
