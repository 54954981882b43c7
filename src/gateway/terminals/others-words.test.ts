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
  const store = { isAtWork: false };
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
    isAtWork: async () => store.isAtWork,
    onAtWork: (isAtWork) => {
      heard.push(isAtWork ? "(at work)" : "(done)");
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
  return { words, heard, say, store, until };
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

test("another process is at work from its line to its answer", async () => {
  const { words, heard, say, store, until } = world();
  await words.follow(id);
  store.isAtWork = true;
  say("others", "a line");
  await until(2);
  store.isAtWork = false;
  say("others", "an answer");
  await until(4);
  expect(heard).toEqual(["a line", "(at work)", "an answer", "(done)"]);
  await words.stop();
});

test("it is at work also if that began before, and no longer once this one goes elsewhere or takes it over", async () => {
  const { words, heard, say, store, until } = world();
  say("others", "a line");
  store.isAtWork = true;
  await words.follow(id);
  expect(heard).toEqual(["(at work)"]);
  store.isAtWork = false;
  say("us", "an answer");
  await until(2);
  store.isAtWork = true;
  words.hear({ kind: "unknown" });
  await until(3);
  await words.follow(null);
  expect(heard).toEqual(["(at work)", "(done)", "(at work)", "(done)"]);
  await words.stop();
});
