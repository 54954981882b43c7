/** What the doctor says of background processes. */
import type { BatonError, ErrorCode } from "../session/errors.js";
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
  const ends = host?.endsWithService ?? isContainer;
  const parts = [
    host === null ? "no process host runs" : runningWords(host),
    ...(ends ? [why] : host === null ? [] : ["processes outlive the gateway"]),
    hasPty ? "programs can have a terminal" : "programs have no terminal, only pipes",
  ];
  const said = { check: "processes", finding: parts.join("; ") };
  if (host?.endsWithService) return { ...said, status: host.running > 0 ? "warning" : "hint", fix };
  if (!hasPty) return { ...said, status: "hint", fix: "install Baton again, with optional packages" };
  return { ...said, status: "ok" };
}

const FIXES: Partial<Record<ErrorCode, string>> = {
  process_host_version: "run `baton doctor` again when those processes have ended",
  process_host_unavailable: "do that, then run `baton doctor` again",
  process_host_failed: "look into the file host.log in the folder `processes` of the home folder",
};

/** A host runs, but can't be asked. */
export function hostProblem({ code, message }: BatonError): Finding {
  const fix = FIXES[code] ?? "run `baton doctor` again";
  return { check: "processes", status: "warning", finding: message, fix };
}

function runningWords({ running }: FoundHost): string {
  return running === 1 ? "1 process runs" : `${running} processes run`;
}
