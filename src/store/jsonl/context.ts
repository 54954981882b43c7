/** What every part of an import needs: the gateway's scopes, where to report, and until when times are believed. */
import type { SessionScopes } from "../../session/session-key.js";
import type { Problems } from "./problems.js";

export interface ImportContext {
  readonly scopes: SessionScopes;
  readonly problems: Problems;
  readonly now: number;
}
