/**
 * Who may read which word in the page, as the books of the access oracle say it: everything that is somewhere has a word that
 * nothing else has. Nothing of Baton's own rights is used.
 */
import { type Account, type Books, type Kept, marksIn, type Spot } from "./access-books.js";

interface Word {
  /** What it is in. */
  readonly kind: string;
  readonly mayRead: (account: Account) => boolean;
}

export class PageWords {
  /** What there are words in, and what somebody has read of that. */
  readonly kinds = new Set(["message", "note"]);
  readonly met = new Set<string>();
  readonly #books: Books;
  readonly #spotOf: (account: Account) => Spot;
  readonly #words = new Map<string, Word>();
  /** The words of conversations and notes that somebody may read, until something happens. */
  readonly #said = new Map<Account, ReadonlyMap<string, string>>();

  /** `spotOf`: the chat that somebody has in the page. */
  constructor(books: Books, spotOf: (account: Account) => Spot) {
    this.#books = books;
    this.#spotOf = spotOf;
  }

  /** The words in a text that somebody may not read, or that nobody ever said. */
  forbidden(text: string, account: Account): string[] {
    return [...new Set(marksIn(text))].filter((mark) => {
      const word = this.#words.get(mark);
      const kind = word ? word.mayRead(account) && word.kind : this.#saidTo(account).get(mark);
      if (kind) this.met.add(kind);
      return !kind;
    });
  }

  /** Something happened, and others may read it. */
  changed(): void {
    this.#said.clear();
  }

  maySee(account: Account, kept: Kept): boolean {
    return this.#books.maySee(this.#spotOf(account), kept);
  }

  /** A new one. */
  word(kind: string, mayRead: Word["mayRead"]): string {
    const mark = this.#books.mark();
    this.know(mark, kind, mayRead);
    return mark;
  }

  know(mark: string, kind: string, mayRead: Word["mayRead"]): void {
    this.kinds.add(kind);
    this.#words.set(mark, { kind, mayRead });
  }

  forOwners(kind: string): string {
    return this.word(kind, ({ role }) => role === "owner");
  }

  forOperator(kind: string): string {
    return this.word(kind, (account) => this.#isOperator(account));
  }

  /** Of one person, whom also the operator may read. */
  of(account: Account, kind: string): string {
    return this.word(kind, (other) => this.#books.isSame(account, other) || this.#isOperator(other));
  }

  inSession(kept: Kept, kind: string): string {
    return this.word(kind, (account) => this.maySee(account, kept));
  }

  #isOperator(account: Account): boolean {
    const { operator } = this.#books;
    return operator !== null && this.#books.isSame(operator, account);
  }

  #saidTo(account: Account): ReadonlyMap<string, string> {
    const known = this.#said.get(account);
    if (known) return known;
    const spot = this.#spotOf(account);
    const messages = this.#books.found(spot).map(({ mark }) => [mark, "message"] as const);
    const notes = this.#books.notesFor(spot).map(({ mark }) => [mark, "note"] as const);
    const said = new Map([...messages, ...notes]);
    this.#said.set(account, said);
    return said;
  }
}
