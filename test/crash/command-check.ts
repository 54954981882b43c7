/**
 * What people must see in their chats once a gateway has settled, however often it was killed: each answer once, whole and
 * in order, or a word that it may be missing or was given up. A killed process may leave the beginning of an answer.
 */
import { DatabaseSync } from "@photostructure/sqlite";
import { inspect } from "./inspect.js";

export interface CommandTally {
  readonly kills: number;
  /** Kills in the middle of something. */
  readonly midway: number;
  /** Edits and drafts: answers that grew while they were made. */
  readonly streamed: number;
  readonly messages: number;
  readonly answered: number;
  /** Told that it may be missing; it may be there. */
  readonly unknown: number;
  readonly givenUp: number;
  /** Beginnings of answers that a killed process had shown. */
  readonly beginnings: number;
}

interface ShownChat {
  /** What was written, in order. */
  readonly numbers: readonly number[];
  /** What the chat shows, in order. */
  readonly shown: readonly string[];
}

interface Asked {
  readonly attempt: number;
  readonly isGivenUp: boolean;
  readonly isDoubted: boolean;
}

/** The pieces of an answer; the first is a sentence, with which a message begins. Some take a while. */
export function partsOfAnswer(number: number): string[] {
  const words = Array.from({ length: number % 4 === 0 ? 40 : 6 }, (_, n) => `word ${n} of it `);
  return [`Answer ${number} begins. `, ...words, `and that was ${number}.`];
}

export function checkChats(
  path: string,
  chats: readonly ShownChat[],
  counted: Pick<CommandTally, "kills" | "midway" | "streamed">,
): CommandTally {
  inspect(path);
  const asked = askedIn(path);
  const tally = { messages: 0, answered: 0, unknown: 0, givenUp: 0, beginnings: 0 };
  for (const { numbers, shown } of chats) {
    const answers = new Map(numbers.map((number) => [number, partsOfAnswer(number).join("")]));
    let last = -1;
    for (const number of numbers) {
      const about = asked.get(number) ?? fail("a message that nobody accepted", number);
      const places = shown.flatMap((text, place) => (text === answers.get(number) ? [place] : []));
      const isMissing = places.length === 0;
      if (isMissing && !about.isDoubted && !about.isGivenUp)
        fail("a message without an answer", { number, shown });
      // What a killed process had shown may be all of it: then the turn was tried again.
      if (places.length > about.attempt) fail("an answer that is shown twice", { number, shown });
      const place = places.at(-1) ?? last;
      if (place < last) fail("an answer out of order", { number, shown });
      last = place;
      tally.messages += 1;
      tally.answered += isMissing ? 0 : 1;
      tally.unknown += about.isDoubted ? 1 : 0;
      tally.givenUp += about.isGivenUp ? 1 : 0;
    }
    const wholes = new Set(answers.values());
    for (const text of shown.filter((each) => !wholes.has(each) && !isNotice(each))) {
      const isBeginning = [...wholes].some((whole) => whole.startsWith(text));
      if (!isBeginning) fail("a text that nobody meant", text);
      tally.beginnings += 1;
    }
  }
  return { ...counted, ...tally };
}

function isNotice(text: string): boolean {
  return / may be missing here: /.test(text) || text.startsWith("I gave up on this: ");
}

/** What the store says of each message, by its number. */
function askedIn(path: string): Map<number, Asked> {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const rows = database
      .prepare(
        `SELECT i.text, t.attempt, t.state, t.id,
           (SELECT count(*) FROM outbox o JOIN outbox d ON d.delivery_id = 'doubt.' || o.delivery_id
            WHERE o.turn_id = t.id AND o.state = 'unknown') AS doubts
         FROM inbox i JOIN turns t ON t.inbox_id = i.id`,
      )
      .all() as { text: string; attempt: number; state: string; doubts: number }[];
    return new Map(
      rows.map(({ text, attempt, state, doubts }) => [
        Number(text.split(" ")[1]),
        { attempt, isGivenUp: state === "parked", isDoubted: doubts > 0 },
      ]),
    );
  } finally {
    database.close();
  }
}

function fail(what: string, about: unknown): never {
  throw new Error(`There is ${what}: ${JSON.stringify(about)}`);
}
