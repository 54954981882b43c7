/** `baton people approve` and `deny`: answers a person who asks for access. */
import { TERMINAL } from "../../gateway/authorize.js";
import { NOT_A_CODE, refusalText } from "../../gateway/code-answers.js";
import { readCode } from "../../gateway/pairing.js";
import type { Tried } from "../../gateway/people-store.js";
import type { Role } from "../../gateway/permissions.js";
import { cleanLine, shorten } from "../../util/text.js";
import type { Cli } from "../cli.js";
import { CliError, wrongUsage } from "../failure.js";
import { withPeople } from "./people.js";
import { identity } from "./who.js";

interface ApproveOptions {
  readonly role?: Role;
  readonly name?: string;
  readonly json?: boolean;
}

export function approve(cli: Cli, typed: string, options: ApproveOptions): Promise<void> {
  const { terminal } = cli;
  const code = codeOf(typed);
  const as = { role: options.role ?? "guest", name: shorten(cleanLine(options.name ?? ""), 64) || null };
  return withPeople(cli, "change", async (people) => {
    const outcome = await people.approve(TERMINAL, code, as);
    if (outcome.kind !== "approved") throw refused(outcome);
    const { person, identity: asker } = outcome;
    if (options.json) return terminal.json({ id: person.id, identity: asker, ...as });
    const called = as.name === null ? "" : ` and the name ${as.name}`;
    terminal.line(`${cleanLine(asker)} now has access, with the role ${as.role}${called} (${person.id}).`);
  });
}

export function deny(cli: Cli, who: string, options: { json?: boolean }): Promise<void> {
  const { terminal } = cli;
  const named = who.includes(":") ? identity(who) : null;
  return withPeople(cli, "change", async (people) => {
    let asker = named;
    if (asker === null) {
      const outcome = await people.denyCode(TERMINAL, codeOf(who));
      if (outcome.kind !== "denied") throw refused(outcome);
      asker = outcome.identity;
    } else if (!(await people.store.deny(asker, Date.now()))) {
      throw new CliError("request_not_found", `${cleanLine(asker)} is not asking for access.`);
    }
    if (options.json) return terminal.json({ identity: asker, denied: true });
    terminal.line(`Denied ${cleanLine(asker)}. Baton does not answer them any more.`);
  });
}

function codeOf(text: string): string {
  const code = readCode(text);
  if (code === null) throw wrongUsage(NOT_A_CODE);
  return code;
}

function refused(outcome: Extract<Tried<never>, { kind: "locked" | "busy" | "wrong" }>): CliError {
  return new CliError(`code_${outcome.kind}`, refusalText(outcome, Date.now()));
}
