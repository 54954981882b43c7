/**
 * The chat on the screen: what was said above, the growing answer under it, the line being written at the foot. Knows
 * nothing of where the words go: it is given a few callbacks.
 */
import type { ReadStream, WriteStream } from "node:tty";
import type { Clock } from "../../util/clock.js";
import { printableText } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import type { LiveReply } from "../adapter.js";
import { type Completion, completed, fitting } from "./completion.js";
import { type Draft, draftOf, EMPTY_DRAFT, edit, type Motion, target } from "./editor.js";
import { type HistoryFile, InputHistory } from "./history.js";
import { type Interrupted, interrupt, NOT_INTERRUPTED } from "./interrupt.js";
import { Keyboard } from "./keyboard.js";
import type { KeyCommand } from "./keys.js";
import type { ScreenLook } from "./markdown.js";
import { MarkdownStream } from "./markdown-stream.js";
import { Modes } from "./modes.js";
import { PrintedPage } from "./page.js";
import { type PictureProtocol, pictureSequence } from "./picture.js";
import { type Frame, footFrame, type PromptStatus, saidRows } from "./prompt.js";
import { Reply } from "./reply.js";
import { Screen } from "./screen.js";
import { type ScreenRow, span } from "./style.js";
import { wrapWords } from "./wrap.js";

export interface ChatOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly color: boolean;
  /** How the terminal shows pictures; absent if it does not. */
  readonly pictures?: PictureProtocol | undefined;
  /** Asked with each drawing: quick, and never throws. */
  readonly status: () => PromptStatus;
  /** The commands that may complete a line that begins with a slash. */
  readonly complete: (line: string) => readonly Completion[];
  /** Where the lines of earlier runs are kept, if they are. */
  readonly history?: HistoryFile;
  /** Ctrl-C while a turn runs. */
  readonly onStop: () => void;
  /** The person wants to go, or the terminal is gone. Called once; the answer is to disconnect. */
  readonly onLeave: () => void;
  readonly clock: Clock;
}

const FRAME_MS = 16;
const SLOWEST_MS = 500;
/** A picture is at most so high, and leaves so much for the rest. */
const MOST_PICTURE_ROWS = 15;
const FOOT_ROWS = 8;
const LEAVE_NOTICE = "Ctrl-C again to leave";

export class Chat {
  readonly #options: ChatOptions;
  readonly #onSubmit: (text: string) => Promise<boolean>;
  readonly #screen: Screen;
  readonly #modes: Modes;
  readonly #keyboard: Keyboard;
  readonly #page = new PrintedPage();
  readonly #history = new InputHistory();
  readonly #replies = new Set<Reply>();
  #draft: Draft = EMPTY_DRAFT;
  #interrupted: Interrupted = NOT_INTERRUPTED;
  /** Something was said, and nothing came back yet. */
  #isAwaiting = false;
  #timer: NodeJS.Timeout | null = null;
  /** How long the last drawing took: the next one gives others their turn. */
  #drawMs = 0;
  #isOpen = false;
  #hasLeft = false;
  #kept: Promise<void> = Promise.resolve();

  /** `onSubmit` tells whether an answer is to come; it does not throw. */
  constructor(options: ChatOptions, onSubmit: (text: string) => Promise<boolean>) {
    this.#options = options;
    this.#onSubmit = onSubmit;
    this.#screen = new Screen(options.output, options.color);
    this.#modes = new Modes(options.input, options.output, () => this.#screen.close(this.#page.take()));
    this.#keyboard = new Keyboard(options.input, options.clock, (command) => this.#obey(command));
  }

  async open(): Promise<void> {
    await this.#recallEarlierRuns();
    this.#isOpen = true;
    this.#modes.enter();
    this.#keyboard.start();
    this.#options.output.on("resize", this.#onResize).on("error", this.#onGone);
    this.#options.input.on("end", this.#onGone).on("error", this.#onGone);
    process.on("SIGCONT", this.#onContinue);
    this.#draw();
  }

  /** What is unfinished is printed as it stands; the foot goes, and the terminal is as it was. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#timer) clearTimeout(this.#timer);
    for (const reply of this.#replies) reply.end("stopped");
    this.#screen.close(this.#page.take());
    this.#modes.leave();
    this.#keyboard.stop();
    process.off("SIGCONT", this.#onContinue);
    this.#options.input.off("end", this.#onGone).off("error", this.#onGone);
    this.#options.output.off("resize", this.#onResize).off("error", this.#onGone);
    await this.#kept;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A Markdown text, whole; it is on the screen when this returns. */
  print(text: string): void {
    const stream = new MarkdownStream();
    stream.push(text);
    this.#page.print("text", stream.end(this.#look()));
    this.#isAwaiting = false;
    this.#draw();
  }

  /** A file of this machine: the picture, if the terminal can show it, and where it is. */
  file(path: string, bytes: Buffer | null, mediaType: string): void {
    const { width, height } = this.#screen;
    const room = { columns: width, rows: Math.min(MOST_PICTURE_ROWS, height - FOOT_ROWS) };
    const picture = bytes && pictureSequence(bytes, mediaType, this.#options.pictures, room);
    if (picture && this.#isOpen) this.#screen.picture(this.#page.take(), picture);
    this.#page.print("notice", wrapWords([span(`File: ${printableText(path)}`, { dim: true })], width));
    this.#draw();
  }

  /** Something that went wrong, in a sentence. */
  problem(text: string): void {
    this.#page.print("notice", wrapWords([span(printableText(text), { color: "red" })], this.#screen.width));
    this.redraw();
  }

  reply(): LiveReply {
    this.#isAwaiting = false;
    const reply = new Reply({
      page: this.#page,
      look: () => this.#look(),
      onChange: () => this.redraw(),
      onEnd: (ended) => {
        this.#replies.delete(ended);
        this.#isAwaiting = false;
      },
    });
    this.#replies.add(reply);
    this.redraw();
    return reply;
  }

  /** Soon, and once for all that changes until then. */
  redraw(): void {
    if (!this.#isOpen) return;
    this.#timer ??= setTimeout(
      () => this.#draw(),
      timerMs(Math.max(FRAME_MS, Math.min(2 * this.#drawMs, SLOWEST_MS))),
    );
  }

  get #isRunning(): boolean {
    return this.#replies.size > 0 || this.#isAwaiting;
  }

  #look(): ScreenLook {
    return { width: this.#screen.width, color: this.#options.color };
  }

  #draw(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const startedAt = this.#options.clock();
    const live = [...this.#replies].flatMap((reply) => reply.draw());
    const foot = this.#foot();
    const isApart = live.length > 0 || this.#page.isApart("said");
    const room = this.#screen.height - foot.rows.length - (isApart ? 1 : 0);
    const above: ScreenRow[] = [...(room > 0 ? live.slice(-room) : []), ...(isApart ? [[]] : [])];
    this.#screen.update(this.#page.take(), {
      rows: [...above, ...foot.rows],
      cursor: { ...foot.cursor, row: foot.cursor.row + above.length },
    });
    this.#drawMs = this.#options.clock() - startedAt;
  }

  #foot(): Frame {
    return footFrame(
      {
        draft: this.#draft,
        hints: this.#hints(),
        status: this.#options.status(),
        isRunning: this.#isRunning,
        notice: this.#interrupted.asked ? LEAVE_NOTICE : null,
      },
      this.#screen.width,
      Math.max(2, Math.floor(this.#screen.height / 2)),
    );
  }

  #hints(): readonly Completion[] {
    return fitting(this.#draft.text, this.#options.complete);
  }

  #obey(command: KeyCommand): void {
    if (command.kind === "interrupt") {
      this.#interrupt();
    } else {
      if (this.#interrupted.asked) this.#interrupted = NOT_INTERRUPTED;
      this.#act(command);
    }
    this.redraw();
  }

  #act(command: Exclude<KeyCommand, { kind: "interrupt" }>): void {
    switch (command.kind) {
      case "submit":
        this.#submit();
        break;
      case "complete":
        this.#complete();
        break;
      case "up":
        this.#vertical("line up", -1);
        break;
      case "down":
        this.#vertical("line down", 1);
        break;
      case "older":
        this.#recall(-1);
        break;
      case "newer":
        this.#recall(1);
        break;
      case "end of input":
        if (this.#draft.text === "") this.leave();
        else this.#draft = edit(this.#draft, { kind: "delete", to: "right" });
        break;
      case "redraw":
        this.#screen.clear();
        break;
      case "suspend":
        this.#suspend();
        break;
      default:
        this.#draft = edit(this.#draft, command);
    }
  }

  #submit(): void {
    const { text, cursor } = this.#draft;
    if (cursor === text.length && text.endsWith("\\")) {
      this.#draft = edit(edit(this.#draft, { kind: "delete", to: "left" }), { kind: "insert", text: "\n" });
      return;
    }
    this.#draft = { ...EMPTY_DRAFT, cut: this.#draft.cut };
    const said = text.trim();
    if (said === "") return;
    if (this.#history.add(said)) this.#keep(said);
    this.#page.print("said", saidRows(said, this.#screen.width));
    this.#isAwaiting = true;
    void this.#onSubmit(said).then((isAnswerToCome) => {
      if (isAnswerToCome) return;
      this.#isAwaiting = false;
      this.redraw();
    });
  }

  async #recallEarlierRuns(): Promise<void> {
    try {
      this.#history.prepend(((await this.#options.history?.load()) ?? []).map(printableText));
    } catch (error) {
      this.problem(`The lines of earlier runs could not be read: ${reasonOf(error)}`);
    }
  }

  #keep(entry: string): void {
    const { history } = this.#options;
    if (!history) return;
    this.#kept = this.#kept
      .then(() => history.add(entry))
      .catch((error: unknown) => this.problem(`The line was not kept for later runs: ${reasonOf(error)}`));
  }

  /** Within the text where it has lines, else through what was written before. */
  #vertical(motion: Motion, by: -1 | 1): void {
    const to = target(this.#draft, motion);
    if (to === this.#draft.cursor) this.#recall(by);
    else this.#draft = { ...this.#draft, cursor: to };
  }

  #recall(by: -1 | 1): void {
    const entry = this.#history.move(by, this.#draft.text);
    if (entry !== null) this.#draft = draftOf(entry, this.#draft.cut);
  }

  #complete(): void {
    this.#draft = draftOf(completed(this.#draft.text, this.#hints()), this.#draft.cut);
  }

  #interrupt(): void {
    const now = {
      at: this.#options.clock(),
      isRunning: this.#isRunning,
      isEmpty: this.#draft.text === "",
    };
    const { action, state } = interrupt(this.#interrupted, now);
    this.#interrupted = state;
    if (action === "leave") this.leave();
    if (action === "stop") this.#options.onStop();
    if (action === "empty") this.#draft = { ...EMPTY_DRAFT, cut: this.#draft.cut };
  }

  /** As if the person wanted to go. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#options.onLeave();
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
    if (!this.#isOpen) return;
    this.#modes.enter();
    this.#screen.forget();
    this.redraw();
  };

  readonly #onResize = (): void => {
    this.#screen.resized();
    this.#draw();
  };

  readonly #onGone = (): void => this.leave();
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
