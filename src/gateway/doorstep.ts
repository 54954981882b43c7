/**
 * People without access. In private they may ask for it (they get a code, once, which the owner approves) or type a code
 * that another account of theirs got. Nothing that they write is stored, and no agent reads it. In a group they get no
 * answer at all. The replies contain codes, so they are sent directly and never stored.
 */
import { randomUUID } from "node:crypto";
import type { InboundMessage } from "../adapter/adapter.js";
import { addressOf } from "../session/source.js";
import type { Clock } from "../util/clock.js";
import type { OnProblem } from "../util/problem.js";
import { relativeTime } from "../util/words.js";
import { senderOf } from "./authorize.js";
import { linkAnswer } from "./code-answers.js";
import { readCode } from "./pairing.js";
import type { People } from "./people.js";
import { type Surface, speakerOf } from "./surface.js";

export interface DoorstepSetting {
  readonly people: People;
  readonly clock: Clock;
  readonly onProblem: OnProblem;
}

export class Doorstep {
  readonly #setting: DoorstepSetting;
  readonly #saying = new Set<Promise<void>>();

  constructor(setting: DoorstepSetting) {
    this.#setting = setting;
  }

  /** Somebody without access wrote. */
  async receive(surface: Surface, message: InboundMessage): Promise<void> {
    if (message.kind !== "message" && message.kind !== "command") return;
    const { people, clock } = this.#setting;
    const { source, text } = message;
    const sender = senderOf(source);
    if (sender === null || source.isBot) return;
    const [, name = "", words = ""] =
      /^\s*\/(link|pair)(?:\s+(.*))?$/is.exec(message.forwarded ? "" : text) ?? [];
    const code = name.toLowerCase() === "link" ? readCode(words) : null;
    if (code !== null) {
      const seenByOthers = source.chatType !== "dm";
      if (!seenByOthers && (await people.isDenied(source))) return;
      const outcome = await people.link(sender, code, { seenByOthers, role: null });
      if (!seenByOthers && isTold(outcome.kind, people.isAnswered(source)))
        this.say(surface, message, linkAnswer(outcome, clock()));
      return;
    }
    const knock = await people.knock(source, name !== "");
    if (knock.kind === "code") this.say(surface, message, introduction(knock.code), knock.withdraw);
    if (knock.kind === "waiting") {
      const until = relativeTime(knock.expiresAt, clock());
      this.say(surface, message, `You have already asked. The code that I sent you expires ${until}.`);
    }
  }

  /** Waits until the replies are sent, or have failed. */
  async idle(): Promise<void> {
    await Promise.all(this.#saying);
  }

  /** Sends a reply without storing it; `undo` takes back what it was about if that fails. */
  say(surface: Surface, message: InboundMessage, text: string, undo?: () => Promise<void>): void {
    const { onProblem } = this.#setting;
    const address = addressOf(message.source);
    const saying = speakerOf(surface)
      .then((speaker) =>
        speaker.send({ address, purpose: "notice", text, deliveryId: `say.${randomUUID()}` }),
      )
      .then(() => {})
      .catch(async (error: Error) => {
        onProblem(`Could not answer a stranger: ${error.message}`, { cause: error });
        await undo?.();
      })
      .catch((error: Error) =>
        onProblem(`Could not withdraw a request to be let in: ${error.message}`, { cause: error }),
      )
      .finally(() => this.#saying.delete(saying));
    this.#saying.add(saying);
  }
}

/**
 * True if somebody unknown learns whether their code was right. A right one is always answered, a wrong one only if
 * strangers are answered at all, and one that was not checked never: somebody who guesses quickly learns nothing. The
 * answer to the fifth wrong one says that it was the last, so later ones need no answer.
 */
function isTold(
  outcome: "linked" | "same" | "refused" | "wrong" | "locked" | "busy",
  answersStrangers: boolean,
): boolean {
  return outcome === "wrong" ? answersStrangers : outcome !== "locked" && outcome !== "busy";
}

function introduction(code: string): string {
  return [
    `I don't know you yet. Your code is ${code}. It is valid for ten minutes.`,
    `Give it to my owner, who can let you in with \`baton people approve ${code}\`, or with \`/pair approve ${code}\` in a chat with me.`,
  ].join("\n");
}
