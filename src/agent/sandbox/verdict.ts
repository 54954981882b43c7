/** What follows from the setting and the machine: how commands run, and what `baton doctor` says. Pure. */
import type { Finding } from "../../util/finding.js";
import type { FoundSandbox } from "./open-sandbox.js";
import type { Confinement } from "./sandbox.js";

export type Mode = "auto" | "required" | "off";

/** `found` is null if the sandbox is off and nobody looked for one. */
export function confinementFor(mode: Mode, found: FoundSandbox | null): Confinement {
  if (mode === "off" || found === null) return { kind: "none" };
  if (found.sandbox !== null) {
    const { gap } = found.sandbox;
    if (gap !== null) return { kind: "missing", why: `not run: ${gap}. ${MOVE}.` };
    return { kind: "sandbox", sandbox: found.sandbox, mayLeave: mode === "auto" };
  }
  if (mode === "auto") return { kind: "none" };
  const why = `not run: \`tools.terminal.sandbox\` is \`required\`, and there is no sandbox. ${found.why} The owner can run \`baton doctor\` to see what to do.`;
  return { kind: "missing", why };
}

const MOVE = "Move it to its own folder, and change the setting that names it";
const ASKED = "commands run with all your rights, and Baton asks only before dangerous ones";

export function sandboxFinding(mode: Mode, found: FoundSandbox | null): Finding {
  const check = "sandbox";
  if (mode === "off" || found === null) {
    const fix = "baton config set tools.terminal.sandbox auto";
    return { check, status: "hint", finding: `off: ${ASKED}`, fix };
  }
  if (found.sandbox === null) {
    const { why, fix } = found;
    return mode === "required"
      ? { check, status: "broken", finding: `${why} The sandbox is required, so Baton runs no commands`, fix }
      : { check, status: "hint", finding: `${why} So ${ASKED}`, fix };
  }
  const { name, network, doubt, gap } = found.sandbox;
  if (gap !== null) {
    return { check, status: "broken", finding: `${gap}. So Baton runs no commands`, fix: MOVE };
  }
  const finding = `commands run in ${name}, with the network ${network ? "on" : "off"}`;
  if (doubt === null) return { check, status: "ok", finding };
  return {
    check,
    status: "hint",
    finding: `${finding}. Baton still asks before dangerous ones, because ${doubt}`,
    fix: "set agent.workdir and tools.folders to folders within your home",
  };
}
