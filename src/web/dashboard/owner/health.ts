/** GET /api/owner/health: how this process is, how large the store is, and how old what waits is. */
import type { Finding } from "../../../util/finding.js";
import { cleanLine } from "../../../util/text.js";
import type { Routes } from "../../routes.js";
import type { OpenPages, WebSetting } from "../../setting.js";
import type { WireHealth } from "../../wire.js";
import { LoopDelay } from "./loop-delay.js";
import { rememberedFindings } from "./remembered-findings.js";

type HealthSetting = Pick<
  WebSetting,
  "findings" | "clock" | "onProblem" | "version" | "startedAt" | "redact"
> & { readonly store: Pick<WebSetting["store"], "overview"> };

/** Returns what ends it. */
export function healthRoutes(
  routes: Routes,
  setting: HealthSetting,
  pages: Pick<OpenPages, "size">,
): () => void {
  const { store, version, startedAt, redact } = setting;
  const loop = new LoopDelay();
  const findings = rememberedFindings(setting);

  routes.getForOwners("/api/owner/health", async ({ now }): Promise<WireHealth> => {
    const [storeBytes, waiting, found] = await Promise.all([
      store.overview.bytes(),
      store.overview.waitingSince(),
      findings(),
    ]);
    const age = (since: number | null) => (since === null ? null : Math.max(0, now - since));
    return {
      ...{ version, node: process.version, startedAt, storeBytes, streams: pages.size },
      rssBytes: process.memoryUsage.rss(),
      loopDelay: loop.delays,
      oldestInboxMs: age(waiting.inbox),
      oldestOutboxMs: age(waiting.outbox),
      findings: found.map((finding) => wireFinding(finding, redact)),
    };
  });
  return () => loop.end();
}

function wireFinding(found: Finding, redact: (text: string) => string): WireHealth["findings"][number] {
  const fix = found.status === "ok" ? "" : `. To fix it: ${found.fix}`;
  return {
    level: found.status,
    title: cleanLine(found.check),
    text: redact(cleanLine(`${found.finding}${fix}`)),
  };
}
