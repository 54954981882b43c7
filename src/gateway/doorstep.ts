/**
 * Those who are not let in. In private they may ask (a code, once, for the owner to approve) or type a code that one of
 * their other identities was shown; nothing of what they write is kept, and no agent hears of it. In a group they are
 * not answered at all. What is said here has codes in it, so it goes straight out and is never kept.
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

  /** Somebody wrote who is not let in. */
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

  /** Waits until what is being said is out, or has failed. */
  async idle(): Promise<void> {
    await Promise.all(this.#saying);
  }

  /** Says something that is not kept; `undo` takes back what it was about if it does not go out. */
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
 * Whether somebody unknown hears what became of their code. A right one is always answered, a wrong one where strangers
 * are answered at all, one that was not looked at never: whoever guesses in a rush hears nothing. The fifth wrong one is told that it was the last, so that who is locked out need not hear it again.
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
