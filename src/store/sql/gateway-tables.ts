/** The parts of the gateway's port that need nothing but the database. */
import type { Db } from "../db.js";
import { SqlAccounts } from "./accounts.js";
import { SqlConsolidations } from "./consolidations.js";
import { SqlDeliveries } from "./deliveries.js";
import { SqlInbox } from "./inbox.js";
import { SqlJobRuns } from "./job-runs.js";
import { SqlJobs } from "./jobs.js";
import { SqlLaneMoves } from "./lane-moves.js";
import { SqlMediaFiles } from "./media-files.js";
import { SqlMemoryNotes } from "./notes.js";
import { SqlOutbox } from "./outbox.js";
import { SqlOverview } from "./overview.js";
import { SqlPeople } from "./people.js";
import { SqlSpending } from "./spending.js";
import { SqlStandingApprovals } from "./standing-approvals.js";
import { SqlTitles } from "./titles.js";
import { SqlToolJournal } from "./tool-journal.js";
import { SqlUsage } from "./usage.js";
import { SqlWebDevices } from "./web-devices.js";
import { SqlWebPosts } from "./web-posts.js";
import { SqlWork } from "./work.js";

export function gatewayTables(db: Db) {
  const memory = new SqlMemoryNotes(db);
  return {
    inbox: new SqlInbox(db),
    journal: new SqlToolJournal(db),
    outbox: new SqlOutbox(db),
    deliveries: new SqlDeliveries(db),
    overview: new SqlOverview(db),
    people: new SqlPeople(db),
    accounts: new SqlAccounts(db),
    lanes: new SqlLaneMoves(db),
    jobs: new SqlJobs(db),
    jobRuns: new SqlJobRuns(db),
    files: new SqlMediaFiles(db),
    consolidations: new SqlConsolidations(db),
    spending: new SqlSpending(db),
    usage: new SqlUsage(db),
    standing: new SqlStandingApprovals(db),
    titles: new SqlTitles(db),
    memory,
    memoryCounts: memory,
    posts: new SqlWebPosts(db),
    devices: new SqlWebDevices(db),
    work: new SqlWork(db),
  };
}
