/** What the doctor says of background processes. */
import type { Finding } from "../util/finding.js";

/** What a host that runs says of itself. */
export interface FoundHost {
  readonly running: number;
  readonly endsWithService: boolean;
}

const CONTAINER = {
  why: "processes end with the container",
  fix: "run the gateway outside of a container if processes must outlive it",
} as const;

const SERVICE = {
  why: "processes end with the service, because systemd gave them no scope of their own",
  fix: "loginctl enable-linger; then restart the service while no process runs",
} as const;

/** `host` is null if none runs. */
export function processFinding(host: FoundHost | null, hasPty: boolean, isContainer: boolean): Finding {
  const { why, fix } = isContainer ? CONTAINER : SERVICE;
  const parts = [
    ...(host === null
      ? ["no process host runs"]
      : [runningWords(host), host.endsWithService ? why : "processes outlive the gateway"]),
    hasPty ? "programs can have a terminal" : "programs have no terminal, only pipes",
  ];
  const said = { check: "processes", finding: parts.join("; ") };
  if (host?.endsWithService) return { ...said, status: host.running > 0 ? "warning" : "hint", fix };
  if (!hasPty) return { ...said, status: "hint", fix: "install Baton again, with optional packages" };
  return { ...said, status: "ok" };
}

function runningWords({ running }: FoundHost): string {
  return running === 1 ? "1 process runs" : `${running} processes run`;
}
