/** What the doctor says of background processes. */
import type { Finding } from "../util/finding.js";
import type { Surroundings } from "./surroundings.js";

/** What a host that runs says of itself. */
export interface FoundHost {
  readonly running: number;
  readonly endsWithService: boolean;
}

const WHY = {
  service: "processes end with the service, because systemd gave them no scope of their own",
  container: "processes end with the container",
} as const;

const FIX = {
  service: "loginctl enable-linger; then restart the service while no process runs",
  container: "run the gateway outside of a container if processes must outlive it",
} as const;

/** `host` is null if none runs. `here` is where the doctor runs; the gateway may run elsewhere. */
export function processFinding(host: FoundHost | null, hasPty: boolean, here: Surroundings): Finding {
  const endsWith = here.kind === "container" ? "container" : "service";
  const isBound = host === null ? here.kind === "container" : host.endsWithService;
  const parts = [
    runningWords(host),
    isBound ? WHY[endsWith] : "processes outlive the gateway",
    hasPty ? "programs can have a terminal" : "programs have no terminal, only pipes",
  ];
  const said = { check: "processes", finding: parts.join("; ") };
  if (isBound && host) return { ...said, status: host.running > 0 ? "warning" : "hint", fix: FIX[endsWith] };
  if (!hasPty) return { ...said, status: "hint", fix: "install Baton again, with optional packages" };
  return { ...said, status: "ok" };
}

function runningWords(host: FoundHost | null): string {
  if (host === null) return "no process host runs";
  return host.running === 1 ? "1 process runs" : `${host.running} processes run`;
}
