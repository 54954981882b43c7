import { expect, test } from "vitest";
import type { SessionId } from "../../session/ids.js";
import type { StoredMessage } from "../../session/transcript.js";
import { OthersWords } from "./others-words.js";

const id = "s" as SessionId;

/** A transcript, and what is heard of it. */
function world() {
  const transcript: string[] = [];
  const heard: string[] = [];
  let onHeard: () => void = () => {};
  const stored = (seq: number) => ({ seq, role: "user", content: transcript[seq - 1] }) as StoredMessage;
  const words = new OthersWords({
    sessions: {
      recent: async () => ({
        summary: null,
        messages: [],
        seqs: transcript.length ? [transcript.length] : [],
        times: transcript.length ? [0] : [],
      }),
      async *pages(_id, { afterSeq = 0 } = {}) {
        const rest = transcript.map((_, n) => n + 1).filter((seq) => seq > afterSeq);
        if (rest.length > 0) yield rest.map(stored);
      },
    },
    onWords: (messages) => {
      heard.push(...messages.map(({ content }) => content));
      onHeard();
    },
    onProblem: (problem) => expect.fail(problem),
  });
  const say = (by: "us" | "others", text: string): void => {
    transcript.push(text);
    const seq = transcript.length;
    if (by === "us") words.hear({ kind: "messages", sessionId: id, first: seq, last: seq });
    else words.hear({ kind: "unknown" });
  };
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      onHeard = () => heard.length >= count && resolve();
      onHeard();
    });
  return { words, heard, say, until };
}

test("what others say is heard once, in order, and nothing of our own", async () => {
  const { words, heard, say, until } = world();
  say("others", "before");
  await words.follow(id);
  say("us", "mine");
  say("others", "theirs");
  say("us", "mine again");
  say("others", "theirs again");
  await until(2);
  say("us", "last");
  words.hear({ kind: "unknown" });
  words.hear({ kind: "elsewhere", sessionId: id });
  await words.stop();
  expect(heard).toEqual(["theirs", "theirs again"]);
});

test("a session that another terminal begins is heard from its first word", async () => {
  const { words, heard, say, until } = world();
  await words.follow(null);
  say("others", "first");
  await words.follow(id, true);
  await until(1);
  expect(heard).toEqual(["first"]);
});

test("one that we begin is not", async () => {
  const { words, heard, say, until } = world();
  await words.follow(null);
  say("us", "first");
  await words.follow(id, true);
  say("others", "second");
  await until(1);
  await words.stop();
  expect(heard).toEqual(["second"]);
});
