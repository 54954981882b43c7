/**
 * GET /api/processes, and what one of them printed and shows on its screen: for exactly those people who see them with /processes.
 * What it printed may be anything, so it is cleaned and has no secrets when it leaves.
 */
import { atLeast } from "../../gateway/permissions.js";
import type { GatewayProcesses } from "../../gateway/processes/options.js";
import { seenBy } from "../../gateway/processes/rights.js";
import type { ProcessEnd } from "../../process/process.js";
import type { SeenProcess } from "../../process/processes.js";
import { endWords } from "../../process/words.js";
import { isProcessId } from "../../session/ids.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { notFound, numberIn, RefusedCall, type WebAsking } from "../asking.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WireOutput, WireProcess, WireScreen } from "../wire.js";
import { outputAfter, screenNow } from "./process-output.js";

export type ProcessesSetting = Pick<WebSetting, "redact"> & {
  readonly gateway: Pick<WebSetting["gateway"], "processes">;
};

const LONGEST_COMMAND = 2_000;

export function processRoutes(routes: Routes, { gateway, redact }: ProcessesSetting): void {
  const { processes: given } = gateway;

  routes.get("/api/processes", async (asking) => {
    const theirs = given ? await seenHere(await given.processes.list({}), asking) : [];
    const items = theirs.map((process) => wireProcess(process, redact));
    return { items };
  });

  routes.get("/api/processes/:id/output", async (asking): Promise<WireOutput> => {
    const { processes, process } = await theOne(given, asking);
    return outputAfter(processes, process, numberIn(asking, "after"), redact);
  });

  routes.get("/api/processes/:id/screen", async (asking): Promise<WireScreen> => {
    const { processes, process } = await theOne(given, asking);
    const screen = await screenNow(processes, process, redact);
    if (!screen) throw new RefusedCall(404, "no_screen", "This process has no terminal. Look at its output.");
    return screen;
  });
}

/** In the page they are in private, and in no conversation. The command is for members and owners. */
async function seenHere(processes: readonly SeenProcess[], { who, view }: WebAsking): Promise<SeenProcess[]> {
  return atLeast(who.role, "member") ? seenBy(processes, who, view, null) : [];
}

async function theOne(given: GatewayProcesses | null, asking: WebAsking) {
  const id = asking.part("id");
  const found = given && isProcessId(id) ? await given.processes.find(id) : null;
  const [process] = found ? await seenHere([found], asking) : [];
  if (!given || !process) throw notFound();
  return { processes: given.processes, process };
}

function wireProcess({ kept, status }: SeenProcess, redact: (text: string) => string): WireProcess {
  const end = (status ?? kept).end;
  return {
    id: kept.id,
    name: kept.id,
    command: redact(shorten(printableText(kept.command), LONGEST_COMMAND)),
    state: stateOf({ kept, status }, end),
    startedAt: kept.startedAt,
    endedAt: end ? (kept.endedAt ?? status?.endedAt ?? null) : null,
    exitCode: end?.kind === "exited" ? end.code : null,
    sessionId: kept.sessionId,
    hasScreen: status ? status.pty !== null : kept.pty,
  };
}

/** As /processes says it, without the times, which the page shows itself. */
function stateOf({ kept, status }: SeenProcess, end: ProcessEnd | null): string {
  if (end) return cleanLine(endWords(end));
  if (status) return "running";
  return kept.state === "starting" ? "starting" : "unknown: its host can't be asked";
}
