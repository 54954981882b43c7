/** `/processes` shows what the person has in the background, and ends one of them. */
import type { SeenProcess } from "../../process/processes.js";
import { canBeEnded, processMeant, signalOrCode } from "../../process/words.js";
import { BatonError } from "../../session/errors.js";
import type { GatewayProcesses } from "../processes/options.js";
import { seenBy } from "../processes/rights.js";
import { commandCode, countWords, isEnded, lastLineCode, placeCode, stateWords } from "../processes/words.js";
import type { AgentInfo } from "./agent-info.js";
import { type Command, type CommandCall, fixedWords } from "./commands.js";

const NONE = "You have no background processes.";
const NOT_HERE = "Background processes are not available here.";
const USAGE = "Send /processes to list them, or /processes kill and an id to end one.";

export function processes({ clock }: AgentInfo): Command {
  return {
    name: "processes",
    usage: "[kill <id>]",
    completes: fixedWords({
      "kill ": "end one, by its id",
    }),
    description: "show what runs in the background, or end it",
    details:
      "Lists the commands that the agent started for you in the background: those of this conversation, and those of your " +
      "other conversations that this chat may show. Nobody else sees them.",
    role: "member",
    async run(call) {
      const given = call.gateway.processes;
      if (!given) return NOT_HERE;
      const seen = await theirs(given, call);
      const [word = "", id = "", ...more] = call.words.split(/\s+/);
      if (word === "") return list(given, seen, clock());
      if (word.toLowerCase() !== "kill" || id === "" || more.length > 0) return USAGE;
      return end(given, seen, id, clock());
    },
  };
}

/** One line for `/status`; none if nothing runs. */
export async function runningLine(call: CommandCall): Promise<string[]> {
  const given = call.gateway.processes;
  const seen = given ? await theirs(given, call).catch(unlessUnreachable) : [];
  const count = seen.filter((process) => !isEnded(process)).length;
  return count === 0 ? [] : [`Background: ${countWords(count)} running (see /processes).`];
}

/** `/processes` says what is wrong with their host. */
function unlessUnreachable(error: unknown): [] {
  if (error instanceof BatonError) return [];
  throw error;
}

async function theirs(
  { processes: all }: GatewayProcesses,
  { item, who, sessions, view }: CommandCall,
): Promise<SeenProcess[]> {
  const current = await sessions.current(item.key);
  return seenBy(await all.list({}), who, view, current?.sessionId ?? null);
}

async function list(
  { processes: all }: GatewayProcesses,
  seen: readonly SeenProcess[],
  now: number,
): Promise<string> {
  if (seen.length === 0) return NONE;
  const described = await Promise.all(
    seen.map(async (process) => {
      const { kept } = process;
      const last = await lastLineCode(all, process);
      return [
        `\`${kept.id}\` ${stateWords(process, now)}: ${commandCode(kept)} ${placeCode(kept)}`,
        ...(last === null ? [] : [`Last line: ${last}`]),
      ].join("\n");
    }),
  );
  const about = await all.about();
  const canEndOne = seen.some(canBeEnded);
  return [
    ...described,
    ...(canEndOne && about?.endsWithService ? [PROCESSES_END_WITH_SERVICE] : []),
    ...(canEndOne ? ["To end one, send `/processes kill <id>`."] : []),
  ].join("\n\n");
}

const PROCESSES_END_WITH_SERVICE =
  "Processes end when Baton's service is stopped or restarted. `baton doctor` says why.";

async function end(
  { processes: all }: GatewayProcesses,
  seen: readonly SeenProcess[],
  id: string,
  now: number,
): Promise<string> {
  const named = seen.map((process) => ({ id: process.kept.id, process }));
  const { process } = processMeant(named, id);
  if (!canBeEnded(process))
    return `\`${process.kept.id}\` has already ended: it ${stateWords(process, now)}.`;
  const ended = await all.kill(process.kept.id, "person");
  const name = `\`${process.kept.id}\``;
  if (canBeEnded(ended)) return `${name} could not be ended. Try again.`;
  if (isEnded(process)) return `Ended the programs that ${name} had left running.`;
  const { end: how } = ended.status ?? ended.kept;
  const isTheirs = how?.kind === "exited" && how.by === "person";
  return isTheirs ? `You ended ${name} (${signalOrCode(how)}).` : `${name} ${stateWords(ended, now)}.`;
}
