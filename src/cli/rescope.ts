/**
 * `baton sessions rescope`: carries conversations over after a change of the scopes. It says for each what happens to it,
 * and nobody gets to see another's.
 */
import type { FullPlan } from "../gateway/rescope-desk.js";
import { placeOf } from "../gateway/session-names.js";
import type { LaneEnd, LaneStep, SeenLane } from "../session/rescope.js";
import { cleanLine } from "../util/text.js";
import { counted } from "../util/words.js";
import { type Cli, withLanes } from "./cli.js";
import { wrongUsage } from "./failure.js";
import type { Terminal } from "./terminal.js";

interface RescopeFlags {
  readonly fromAgent?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const ENDS: Readonly<Record<LaneEnd, string>> = {
  newer: "ends: a newer session of the same people has the chat",
  private: "ends and stays that member's own: the group shares one session now, and starts a new one",
  shared: "ends and stays the group's, whose members can resume it: each of them starts a new session",
  people: "ends and stays that person's own: several people share one session there now, which starts new",
};

export async function rescope(cli: Cli, options: RescopeFlags): Promise<void> {
  const { terminal } = cli;
  const mayAsk = terminal.canAsk && !options.json;
  if (!options.yes && !options.dryRun && !mayAsk)
    throw wrongUsage("Add --yes to carry the conversations over, or --dry-run to see what would happen.");
  await withLanes(cli, options.dryRun ? "look" : "change", async (open) => {
    const desk = await open.rescope(options.fromAgent === undefined ? [] : [options.fromAgent]);
    const plan = await desk.plan();
    if (options.json && options.dryRun) return terminal.json({ ...facts(plan), busy: [], done: false });
    if (!options.json) say(terminal, plan, options.dryRun === true);
    if (options.dryRun) return;
    if (plan.steps.length === 0) {
      await desk.carryOver(); // The store remembers that all lanes fit.
      return options.json ? terminal.json({ ...facts(plan), busy: [], done: true }) : undefined;
    }
    if (!options.yes && !(await terminal.confirm("Carry them over?")))
      return terminal.line("Nothing was changed.");
    let taken = 0;
    const onStep = () => terminal.progress(`Carrying over, ${++taken} of ${plan.steps.length} …`);
    const { done, busy } = await desk.carryOver(onStep).finally(() => terminal.progress(""));
    if (options.json)
      return terminal.json({ ...facts({ ...plan, steps: done }), busy: keysOf(busy), done: true });
    terminal.line(`Carried over: ${counts(done)}.`);
    if (busy.length > 0)
      terminal.line(
        `${counted(busy.length, "conversation")} ${busy.length === 1 ? "is" : "are"} in use, so nothing was changed there: ${keysOf(busy).map(cleanLine).join(", ")}. Run this again when the agent has answered.`,
      );
  });
}

function say(terminal: Terminal, plan: FullPlan, isDryRun: boolean): void {
  const { steps, unclear, ofOthers } = plan;
  for (const step of steps) for (const line of sentences(step)) terminal.line(cleanLine(line));
  for (const lane of unclear)
    terminal.line(
      cleanLine(
        `${nameIn(lane)} stays as it is: its platform is not registered here, or it names no member.`,
      ),
    );
  for (const [agent, count] of ofOthers)
    terminal.line(
      cleanLine(
        `The agent "${agent}" has ${counted(count, "conversation")}, which stay${count === 1 ? "s" : ""} as ${count === 1 ? "it is" : "they are"}. If you have renamed it, add --from-agent ${agent}.`,
      ),
    );
  if (steps.length === 0) terminal.line("All conversations fit the scopes in your configuration.");
  else if (isDryRun) terminal.line(`Would carry over: ${counts(steps)}. Nothing was changed.`);
}

function sentences(step: LaneStep): string[] {
  if (step.kind === "end") return [`${nameIn(step.lane)} ${ENDS[step.why]}. /resume brings it back.`];
  const { lane, to, over } = step;
  return [
    `${nameIn(lane)} continues as ${to}.`,
    ...(over ? [`${nameIn(over)} ${ENDS.newer}. /resume brings it back.`] : []),
  ];
}

function nameIn(lane: SeenLane): string {
  const place = placeOf({ ...lane, platform: lane.origin.platform });
  const name = lane.title === null ? lane.sessionId : `"${lane.title}" (${lane.sessionId})`;
  return `${name} in ${place} (${lane.key})`;
}

function counts(steps: readonly LaneStep[]): string {
  const continued = steps.filter(({ kind }) => kind === "rekey");
  const over = continued.filter((step) => step.kind === "rekey" && step.over).length;
  const ended = steps.length - continued.length + over;
  const parts = [
    ...(continued.length > 0
      ? [`${counted(continued.length, "conversation")} continue${continued.length === 1 ? "s" : ""}`]
      : []),
    ...(ended > 0
      ? [`${counted(ended, "conversation")} end${ended === 1 ? "s" : ""} and can be resumed`]
      : []),
  ];
  return parts.join(", ") || "nothing";
}

function facts({ steps, unclear, ofOthers }: FullPlan) {
  return {
    continue: steps.flatMap((step) =>
      step.kind === "end"
        ? []
        : [
            {
              sessionId: step.lane.sessionId,
              from: step.lane.key,
              to: step.to,
              replaces: step.over?.sessionId ?? null,
            },
          ],
    ),
    end: steps.flatMap((step) =>
      step.kind === "end" ? [{ sessionId: step.lane.sessionId, from: step.lane.key, why: step.why }] : [],
    ),
    unclear: keysOf(unclear),
    ofOtherAgents: Object.fromEntries(ofOthers),
  };
}

function keysOf(lanes: readonly SeenLane[]): string[] {
  return lanes.map(({ key }) => key);
}
