/**
 * What a search is limited to: what its viewer may see, and what was asked for. Each limit is a condition on the rows, and
 * as far as the index knows it, a group of labels of which a message needs one. The conditions decide; the labels only
 * keep the search from reading much.
 */
import { ownersFor, type Viewer } from "../../session/access.js";
import type { Platform } from "../../session/platform.js";
import type { SearchOptions } from "../../session/store.js";
import type { Queries } from "../db.js";
import { AWAY } from "../migrations/026-search-labels.js";
import { accessCondition, Conditions } from "../sql/reader.js";
import { text } from "../sql/values.js";
import { labelOf, timeLabels } from "./labels.js";

/** Of the sessions that moved to a lane, this many are searched from there. */
const MAX_MOVED = 200;
/** If more sessions than this moved to a platform, its label is of no use. */
const MAX_AWAY = 200;

type LabelGroup = readonly string[];

export interface SearchFilter {
  /** On messages `m` and their sessions `s`. */
  readonly visible: Conditions;
  /** Owners and sessions: every message of the index has these labels. */
  readonly belongs: readonly LabelGroup[];
  /** Roles, times and platforms: messages that an older Baton indexed may not have these yet. */
  readonly labels: readonly LabelGroup[];
  readonly isOpen: boolean;
}

export async function filterFor(db: Queries, viewer: Viewer, options: SearchOptions): Promise<SearchFilter> {
  const { sessionId, platform, role, after, before } = options;
  const visible = new Conditions(accessCondition(viewer));
  const belongs: LabelGroup[] = viewer.kind === "owner" ? [] : [await viewerLabels(db, viewer)];
  const labels: LabelGroup[] = [];
  visible.add("m.superseded_at IS NULL");
  if (sessionId !== undefined) {
    visible.add("m.session_id = ?", sessionId);
    belongs.push([labelOf("session", sessionId)]);
  }
  if (role !== undefined) {
    const roles = [role].flat();
    visible.add(`m.role IN (${roles.map(() => "?").join(", ") || "NULL"})`, ...roles);
    labels.push(roles.map((each) => labelOf("role", each)));
  }
  if (after !== undefined || before !== undefined) {
    if (after !== undefined) visible.add("m.at >= ?", after);
    if (before !== undefined) visible.add("m.at < ?", before);
    labels.push(timeLabels(after, before));
  }
  if (platform !== undefined) {
    visible.add("s.platform = ?", platform);
    const group = await platformLabels(db, platform);
    if (group) labels.push(group);
  }
  const isOpen = viewer.kind === "owner" && belongs.length + labels.length === 0 && platform === undefined;
  return { visible, belongs, labels, isOpen };
}

/** Whatever this viewer may see: their own, and sessions that moved into a lane of theirs. */
async function viewerLabels(db: Queries, viewer: Exclude<Viewer, { kind: "owner" }>): Promise<string[]> {
  const owners = ownersFor(viewer);
  if (owners.length === 0) return [];
  const moved = await db.all(
    `SELECT id FROM sessions WHERE lane_owner <> owner AND lane_owner IN (${owners.map(() => "?").join(", ")})
     ORDER BY updated_at DESC LIMIT ?`,
    ...owners,
    MAX_MOVED,
  );
  const sessions = moved.map(({ id }) => labelOf("session", text(id)));
  return [...owners.map((owner) => labelOf("owner", owner)), ...sessions];
}

/** Sessions whose owner is there, and those that moved there from elsewhere. Null if these are too many. */
async function platformLabels(db: Queries, platform: Platform): Promise<string[] | null> {
  const away = await db.all(
    `SELECT id FROM sessions WHERE platform = ? AND ${AWAY} LIMIT ?`,
    platform,
    MAX_AWAY + 1,
  );
  if (away.length > MAX_AWAY) return null;
  return [labelOf("platform", platform), ...away.map(({ id }) => labelOf("session", text(id)))];
}
