/**
 * Knows of each line that was typed which conversation it belongs to and what became of it, and finds what the store, the
 * model and the screens say otherwise. Pure: the processes are in `typing-world.ts`.
 */

/** What its writer saw. */
export type LineEnd =
  /** The answer, there or where the conversation had gone. */
  | "answered"
  /** That the conversation is elsewhere. */
  | "refused"
  /** It was ended: by Ctrl-C, a signal, a closed pipe, or by a command where its conversation was. Nobody goes on with it. */
  | "stopped"
  /** Its process was killed in a lane of others, who may go on with it. */
  | "killed";

export interface TypedLine {
  readonly number: number;
  readonly by: string;
  readonly conversation: number;
  end: LineEnd | null;
  /** How often the model had been asked when its writer was done with it. */
  askedAtEnd: number;
  /** The place that had its conversation began or resumed another one, which stops the answer. */
  isAbandoned: boolean;
}

/** What was found when all was over. */
export interface Books {
  readonly lines: readonly TypedLine[];
  /** Each session: what people said, and the whole answers, by the numbers of the lines. */
  readonly sessions: readonly { readonly said: readonly number[]; readonly answers: readonly number[] }[];
  /** Each request to the model: the lines in it, the one to be answered last. */
  readonly requests: readonly (readonly number[])[];
  /** Each screen or chat: the answers on it, and the conversations that were ever there. */
  readonly screens: readonly {
    readonly name: string;
    readonly answers: readonly number[];
    readonly conversations: ReadonlySet<number>;
  }[];
}

export const lineText = (number: number): string => `line-${String(number).padStart(5, "0")}`;
export const answerText = (number: number): string => `${answerMark(number)} ok`;
export const answerMark = (number: number): string => `re:${String(number).padStart(5, "0")}`;

export const linesIn = (text: string): number[] => numbers(text, /line-(\d{5})/g);
export const answersIn = (text: string): number[] => numbers(text, /^\s*re:(\d{5}) ok\s*$/gm);

function numbers(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map(([, digits]) => Number(digits));
}

/** Empty if no line is in another's session, no answer came twice, and none was lost. */
export function faults({ lines, sessions, requests, screens }: Books): string[] {
  const found: string[] = [];
  const byNumber = new Map(lines.map((line) => [line.number, line]));
  const conversationOf = (number: number): number | undefined => byNumber.get(number)?.conversation;
  const together = (numbersOfOne: readonly number[]): number[] => [
    ...new Set(numbersOfOne.flatMap((number) => conversationOf(number) ?? [])),
  ];

  const homes = new Map<number, number>();
  for (const [index, { said, answers }] of sessions.entries()) {
    const conversations = together([...said, ...answers]);
    if (conversations.length > 1)
      found.push(`One session has lines of ${names(conversations)}: ${said.join()}`);
    for (const each of conversations) {
      if (homes.has(each)) found.push(`Conversation ${each} is in two sessions.`);
      homes.set(each, index);
    }
  }
  for (const request of requests) {
    const conversations = together(request);
    if (conversations.length > 1)
      found.push(`The model saw ${names(conversations)} at once: ${request.join()}`);
  }
  for (const { name, answers, conversations } of screens) {
    // What a killed script left is continued by the next terminal in its lane, which says so.
    for (const number of answers.filter((each) => byNumber.get(each)?.end !== "killed"))
      if (!conversations.has(conversationOf(number) ?? -1))
        found.push(
          `${name} shows line ${number} of conversation ${conversationOf(number)}, which was never there.`,
        );
  }
  for (const line of lines) found.push(...lineFaults(line, sessions, requests));
  return found;
}

function names(conversations: readonly number[]): string {
  return conversations.map((each) => `conversation ${each}`).join(" and ");
}

function lineFaults(
  { number, by, conversation, end, askedAtEnd }: TypedLine,
  sessions: Books["sessions"],
  requests: Books["requests"],
): string[] {
  const count = (all: readonly number[]): number => all.filter((each) => each === number).length;
  const saved = count(sessions.flatMap(({ said }) => said));
  const answers = count(sessions.flatMap((session) => session.answers));
  const asked = count(requests.flatMap((request) => request.slice(-1)));
  const wrong = (what: string): string =>
    `Line ${number} of ${by} in conversation ${conversation} was ${end}, and ${what} (saved ${saved}, answered ${answers}, asked ${asked}).`;
  const found: string[] = [];
  if (saved > 1) found.push(wrong("saved twice"));
  if (answers > 1) found.push(wrong("answered twice"));
  switch (end) {
    case "answered":
      if (saved !== 1 || answers !== 1) found.push(wrong("lost"));
      if (asked !== 1) found.push(wrong("not asked once"));
      break;
    case "refused":
      if (saved + answers + asked > 0) found.push(wrong("still there"));
      break;
    case "stopped":
      if (answers > 0) found.push(wrong("still answered"));
      if (asked > Math.min(1, askedAtEnd)) found.push(wrong("asked again"));
      break;
    case "killed":
      if (asked > 2) found.push(wrong("asked again and again"));
      break;
    case null:
      found.push(wrong("forgotten"));
      break;
    default:
      end satisfies never;
  }
  return found;
}
