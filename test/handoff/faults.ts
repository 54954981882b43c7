/** The rows and columns of the table: where a handoff is struck, and by what. */
import type { Letter } from "../../src/adapter/adapter.js";
import type { TurnStep } from "../../src/gateway/store.js";
import { HANDOFF_WAIT_MS } from "../../src/session/handoff.js";
import type { Reached } from "./mortal.js";
import type { Stage } from "./stage.js";

/** Each step of a handoff, and how it is known when it is reached. */
export const STEPS = {
  request: isCall("handoffs.request"),
  claim: isCall("handoffs.step claim"),
  "thread begun": isCall("handoffs.step begin thread"),
  "thread made": isCall("there.createThread"),
  "thread and lane saved": isCall("handoffs.step aim"),
  "notice queued": isCall("handoffs.step announce"),
  "notice delivered": (reached: Reached) =>
    isCall("there.send")(reached) && (reached.args[0] as Letter).deliveryId.endsWith(".here"),
  completed: isCall("handoffs.step complete"),
  turn: (reached: Reached) =>
    isCall("turns.finish")(reached) &&
    (reached.args[2] as TurnStep).messages.some(({ content }) =>
      content.startsWith("re: [This conversation"),
    ),
} as const;

export type Step = keyof typeof STEPS;

export const FAULTS = {
  "asker dies": (stage: Stage) => stage.kill("asker"),
  "gateway dies": (stage: Stage) => stage.kill("gateway"),
  "both die": (stage: Stage) => {
    stage.kill("asker");
    stage.kill("gateway");
  },
  "gateway stalls": (stage: Stage) => stage.stall("gateway"),
  "platform 5xx": (stage: Stage) => {
    stage.troubles.push("out of order", ...(stage.random() < 0.5 ? (["out of order"] as const) : []));
  },
  "timeout after accept": (stage: Stage) => {
    stage.troubles.push("swallowed");
  },
  "wait expires": (stage: Stage) => {
    stage.goesOn(stage.pass(HANDOFF_WAIT_MS + 1_000, stage.random() < 0.6));
    if (stage.variant.from === "script") stage.goesOn(stage.giveUp());
  },
  "asker closes": (stage: Stage) => stage.stop(stage.actor("asker")),
  "both ends type": (stage: Stage) => {
    const count = stage.typed.length;
    stage.write(stage.ann, `meanwhile here ${count}`);
    stage.write(stage.placeThere, `meanwhile there ${count}`);
    stage.write(stage.ann, `and again here ${count}`);
  },
  "target removed": (stage: Stage) => stage.goesOn(stage.remove()),
} as const;

export type Fault = keyof typeof FAULTS;

function isCall(call: string): (reached: Reached) => boolean {
  return ({ step }) => step === call;
}
