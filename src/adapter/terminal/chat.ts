/**
 * The chat on the screen: what was said above, the growing answer under it, the line being written at the foot. Knows
 * nothing of where the words go: it is given a few callbacks.
 */
import type { ReadStream, WriteStream } from "node:tty";
import type { TurnFacts } from "../../session/turn-facts.js";
import type { Clock } from "../../util/clock.js";
import { printableText } from "../../util/text.js";
import type { LiveReply } from "../live-reply.js";
import type { ChatHands, ChatView } from "./chat-view.js";
import { FoldedResults } from "./folded-results.js";
import { type Interrupted, interrupt, NOT_INTERRUPTED } from "./interrupt.js";
import { Keyboard } from "./keyboard.js";
import type { KeyCommand } from "./keys.js";
import { InputLine, type LineOptions, reasonOf } from "./line.js";
import type { ScreenLook } from "./markdown.js";
import { MarkdownStream } from "./markdown-stream.js";
import { Modes } from "./modes.js";
import { OpenQuestions, type OpenQuestionsSetting, type PressedAnswer } from "./open-questions.js";
import { PrintedPage } from "./page.js";
import { type PictureProtocol, pictureSequence } from "./picture.js";
import { type Frame, footFrame, type PromptStatus, saidRows } from "./prompt.js";
import { Redrawing } from "./redrawing.js";
import { Reply } from "./reply.js";
import { Screen } from "./screen.js";
import { type ScreenRow, span } from "./style.js";
import { wrapWords } from "./wrap.js";

export interface ChatOptions extends Omit<LineOptions, "onProblem"> {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly color: boolean;
  /** The terminal makes links that can be clicked. */
  readonly links?: boolean;
  /** How the terminal shows pictures; absent if it does not. */
  readonly pictures?: PictureProtocol | undefined;
  /** Asked with each drawing: quick, and never throws. */
  readonly status: () => PromptStatus;
  /** Lets the person write in their own editor, which has the terminal meanwhile; rejects with a sentence. */
  readonly edit?: (text: string) => Promise<string>;
  /** Ctrl-C or Esc while a turn runs. */
  readonly onStop: () => void;
  /** The person wants to go, or the terminal is gone. Called once; the answer is to disconnect. */
  readonly onLeave: () => void;
  /** Who continues an answer that this process leaves: `the next …`. */
  readonly heir: () => string;
  readonly clock: Clock;
  /** A wait that ends when all keys that were pressed until then have been read. */
  readonly later: OpenQuestionsSetting["later"];
}

/** A picture is at most so high, and leaves so much for the rest. */
const MOST_PICTURE_ROWS = 15;
const FOOT_ROWS = 8;
const AGAIN = { leave: "Ctrl-C again to leave", clear: "Ctrl-C again to clear the line" } as const;

export class Chat implements ChatView {
  readonly #options: ChatOptions;
  readonly #hands: ChatHands;
  readonly #screen: Screen;
  readonly #drawing: Redrawing;
  readonly #modes: Modes;
  readonly #keyboard: Keyboard;
  readonly #page = new PrintedPage();
  readonly #line: InputLine;
  readonly #folded = new FoldedResults();
  readonly #questions: OpenQuestions;
  readonly #replies = new Set<Reply>();
  #interrupted: Interrupted = NOT_INTERRUPTED;
  /** What the last turn told of itself. */
  #turn: TurnFacts | null = null;
  /** How much of what was said waits or runs. */
  #awaited = 0;
  #areOthersAtWork = false;
  #isOpen = false;
  /** An editor has the terminal: nothing is drawn, and no key is ours. */
  #isAway = false;
  #hasLeft = false;

  constructor(options: ChatOptions, hands: ChatHands) {
    this.#options = options;
    this.#hands = hands;
    this.#screen = new Screen(options.output, options.color, options.links);
    this.#drawing = new Redrawing(() => this.#draw(), options.clock);
    this.#modes = new Modes(options.input, options.output, () => this.#screen.close(this.#page.take()));
    this.#line = new InputLine({ ...options, onProblem: (text) => this.problem(text) });
    this.#questions = new OpenQuestions({
      later: options.later,
      onReady: () => this.redraw(),
      onAnswer: (answer) => this.#answerByKey(answer),
    });
    this.#keyboard = new Keyboard(options.input, options.clock, (command) => this.#obey(command));
  }

  async open(): Promise<void> {
    if (this.#isOpen) return;
    await this.#line.open();
    this.#isOpen = true;
    this.#modes.enter();
    this.#keyboard.start();
    this.#options.output.on("resize", this.#onResize).on("error", this.#onGone);
    this.#options.input.on("end", this.#onGone).on("error", this.#onGone);
    process.on("SIGCONT", this.#onContinue);
    this.#drawing.now();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#questions.take();
    this.#drawing.stop();
    for (const reply of this.#replies) reply.end("left");
    if (!this.#isAway) this.#screen.close(this.#page.take());
    this.#modes.leave();
    this.#keyboard.stop();
    process.off("SIGCONT", this.#onContinue);
    this.#options.input.off("end", this.#onGone).off("error", this.#onGone);
    this.#options.output.off("resize", this.#onResize).off("error", this.#onGone);
    await this.#line.close();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  print(text: string, deliveryId?: string): void {
    if (deliveryId !== undefined) this.#questions.printed(deliveryId);
    const stream = new MarkdownStream();
    stream.push(text);
    this.#page.print("text", stream.end(this.#look()));
    this.#drawing.now();
  }

  note(text: string): void {
    this.#page.print("notice", wrapWords([span(printableText(text), { dim: true })], this.#screen.width));
    this.redraw();
  }

  overhear(text: string): void {
    this.#page.print("said", saidRows(printableText(text), this.#screen.width, "other"));
    this.#drawing.now();
  }

  othersAtWork(isAtWork: boolean): void {
    this.#areOthersAtWork = isAtWork;
    this.redraw();
  }

  file(path: string, bytes: Buffer | null, mediaType: string): void {
    const { width, height } = this.#screen;
    const room = { columns: width, rows: Math.min(MOST_PICTURE_ROWS, height - FOOT_ROWS) };
    const picture = bytes && pictureSequence(bytes, mediaType, this.#options.pictures, room);
    if (picture && this.#isOpen && !this.#isAway) this.#screen.picture(this.#page.take(), picture);
    this.#page.print("notice", wrapWords([span(`File: ${printableText(path)}`, { dim: true })], width));
    this.#drawing.now();
  }

  problem(text: string): void {
    this.#page.print("notice", wrapWords([span(printableText(text), { color: "red" })], this.#screen.width));
    this.redraw();
  }

  reply(): LiveReply {
    const reply = new Reply({
      page: this.#page,
      look: () => this.#look(),
      folded: this.#folded,
      questions: this.#questions,
      room: () => this.#screen.height >> 1,
      onChange: () => this.redraw(),
      heir: this.#options.heir,
      clock: this.#options.clock,
      onEnd: (ended, facts) => {
        this.#replies.delete(ended);
        this.#turn = facts ?? this.#turn;
      },
    });
    this.#replies.add(reply);
    this.redraw();
    return reply;
  }

  /** Soon, and once for all that changes until then. */
  redraw(): void {
    if (this.#isOpen) this.#drawing.soon();
  }

  /** More of what a tool prints now; or else the last result that was folded, whole. */
  #unfold(): void {
    if ([...this.#replies].some((reply) => reply.toggle())) return;
    const rows = this.#folded.unfold(this.#screen.width) ?? [[span("Nothing is folded.", { dim: true })]];
    this.#page.print("notice", rows);
  }

  get #isRunning(): boolean {
    return this.#replies.size > 0 || this.#awaited > 0;
  }

  #look(): ScreenLook {
    return { width: this.#screen.width, color: this.#options.color };
  }

  #draw(): void {
    if (this.#isAway) return;
    const live = [...this.#replies].flatMap((reply) => reply.draw());
    const foot = this.#foot();
    const isApart = live.length > 0 || this.#page.isApart("said");
    const room = this.#screen.height - foot.rows.length - (isApart ? 1 : 0);
    const above: ScreenRow[] = [...(room > 0 ? live.slice(-room) : []), ...(isApart ? [[]] : [])];
    this.#screen.update(this.#page.take(), {
      rows: [...above, ...foot.rows],
      cursor: { ...foot.cursor, row: foot.cursor.row + above.length },
    });
    this.#questions.drawn();
    if ([...this.#replies].some(({ isCounting }) => isCounting)) this.#drawing.later();
  }

  get #retry(): string | null {
    return [...this.#replies].map(({ waiting }) => waiting).find((words) => words !== null) ?? null;
  }

  #foot(): Frame {
    return footFrame(
      {
        draft: this.#line.draft,
        hints: this.#line.hints,
        chosen: this.#line.chosen,
        search: this.#line.search,
        status: this.#options.status(),
        turn: this.#turn,
        retry: this.#retry,
        isRunning: this.#isRunning,
        areOthersAtWork: this.#areOthersAtWork,
        question: this.#questions.next,
        notice: this.#interrupted.asked && AGAIN[this.#interrupted.asked],
      },
      this.#screen.width,
      Math.max(2, Math.floor(this.#screen.height / 2)),
    );
  }

  #obey(command: KeyCommand): void {
    const held = this.#questions.take();
    if (held && command.kind === "submit") {
      this.#answerByKey(held);
    } else if (command.kind === "interrupt") {
      this.#interrupt();
    } else {
      this.#interrupted = NOT_INTERRUPTED;
      this.#act(command);
    }
    this.redraw();
  }

  #act(command: Exclude<KeyCommand, { kind: "interrupt" }>): void {
    switch (command.kind) {
      case "redraw":
        this.#screen.clear();
        break;
      case "unfold":
        this.#unfold();
        break;
      case "suspend":
        this.#suspend();
        break;
      default: {
        const isFirst = command.kind === "insert" && this.#line.isEmpty;
        const wish = this.#line.press(command);
        if (isFirst) this.#questions.hold(command.text);
        if (wish?.kind === "leave") this.leave();
        if (wish?.kind === "say") this.#say(wish.text);
        if (wish?.kind === "stop" && this.#isRunning) this.#options.onStop();
        if (wish?.kind === "edit elsewhere") void this.#editElsewhere(wish.text);
      }
    }
  }

  /** The letter in the line answers: it is no text. */
  #answerByKey(answer: PressedAnswer): void {
    this.#line.press({ kind: "undo" });
    this.#answer(answer, answer.word);
  }

  #answer(answer: PressedAnswer, said: string): void {
    this.#questions.close(answer.question);
    this.#page.print("said", saidRows(said, this.#screen.width));
    void this.#hands.press(answer.command).then((isAccepted) => {
      if (isAccepted) return;
      this.#questions.reopen(answer.question);
      this.redraw();
    });
    this.redraw();
  }

  #say(text: string): void {
    const answer = this.#questions.answerIn(text);
    if (answer) this.#answer(answer, text);
    else this.#submit(text);
  }

  #submit(text: string): void {
    this.#page.print("said", saidRows(text, this.#screen.width));
    this.awaits(this.#hands.submit(text));
  }

  awaits(over: Promise<void>): void {
    this.#awaited += 1;
    void over.then(() => {
      this.#awaited -= 1;
      this.redraw();
    });
  }

  /** More may be completed now. */
  arrived(): void {
    this.#line.arrived();
    this.redraw();
  }

  #interrupt(): void {
    if (this.#line.endSearch()) return;
    const now = {
      at: this.#options.clock(),
      isRunning: this.#isRunning,
      isEmpty: this.#line.isEmpty,
    };
    const { action, state } = interrupt(this.#interrupted, now);
    this.#interrupted = state;
    if (action === "leave") this.leave();
    if (action === "stop") this.#options.onStop();
    if (action === "clear") this.#line.clear();
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#options.onLeave();
  }

  async #editElsewhere(text: string): Promise<void> {
    const { edit } = this.#options;
    if (!edit) return;
    this.#screen.close(this.#page.take());
    this.#modes.leave();
    this.#keyboard.stop();
    this.#isAway = true;
    try {
      this.#line.replace(printableText(await edit(text)).trimEnd());
    } catch (error) {
      this.problem(reasonOf(error));
    }
    this.#isAway = false;
    if (this.#isOpen) this.#keyboard.start();
    this.#onContinue();
  }

  /** Ctrl-Z: the shell gets the terminal as it was; when it continues us, `#onContinue` takes it again. */
  #suspend(): void {
    this.#screen.close(this.#page.take());
    this.#modes.leave();
    process.kill(0, "SIGTSTP");
    // Where nobody could continue us, the system does not stop us either.
    setImmediate(this.#onContinue);
  }

  readonly #onContinue = (): void => {
    if (!this.#isOpen || this.#isAway) return;
    this.#modes.enter();
    this.#screen.forget();
    this.redraw();
  };

  readonly #onResize = (): void => {
    this.#screen.resized();
    this.#drawing.now();
  };

  readonly #onGone = (): void => this.leave();
}
