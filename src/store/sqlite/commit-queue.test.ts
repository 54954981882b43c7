import { describe, expect, it, vi } from "vitest";
import { type CommitConnection, CommitQueue } from "./commit-queue.js";

/** A connection that writes down what it is asked, and holds what was written until the commit. */
class Paper implements CommitConnection {
  readonly log: string[] = [];
  saved: string[] = [];
  isInTransaction = false;
  /** What the next call of that name throws; `gone`: the engine has rolled back everything by then. */
  readonly failing = new Map<string, { readonly isGone: boolean }>();
  #written: string[] = [];
  #mark = 0;

  async begin() {
    this.#do("begin");
    this.isInTransaction = true;
  }
  commit() {
    this.#do("commit");
    this.saved = [...this.saved, ...this.#written];
    this.end();
  }
  rollback() {
    this.#do("rollback");
    this.end();
  }
  savepoint() {
    this.#do("savepoint");
    this.#mark = this.#written.length;
  }
  release() {
    this.#do("release");
  }
  rollbackToSavepoint() {
    this.#do("back");
    this.#written.length = this.#mark;
  }

  /** What work does. */
  write = async (text: string): Promise<string> => {
    await Promise.resolve();
    this.#do(text);
    this.#written.push(text);
    return text;
  };
  read = async (): Promise<number> => this.saved.length + this.#written.length;

  #do(name: string): void {
    this.log.push(name);
    const failure = this.failing.get(name);
    this.failing.delete(name);
    if (failure?.isGone) this.end();
    if (failure) throw new Error(`${name} failed`);
  }
  end(): void {
    this.isInTransaction = false;
    this.#written = [];
  }
}

function fixture() {
  const paper = new Paper();
  const queue = new CommitQueue(paper);
  const told: string[] = [];
  const write = (text: string) =>
    queue.add(
      "transaction",
      () => paper.write(text),
      () => told.push(text),
    );
  return { paper, queue, told, write };
}

describe("writes that wait at the same moment", () => {
  it("share one commit, and none is told before it", async () => {
    const { paper, told, write } = fixture();
    const early: number[] = [];
    const writes = ["a", "b", "c"].map((text) => write(text).then(() => early.push(paper.saved.length)));
    await Promise.all(writes);
    expect(paper.log.filter((name) => name === "commit")).toHaveLength(1);
    expect(paper.saved).toEqual(["a", "b", "c"]);
    expect(told).toEqual(["a", "b", "c"]);
    expect(early).toEqual([3, 3, 3]);
  });

  it("need no savepoint when one is alone", async () => {
    const { paper, write } = fixture();
    await write("a");
    expect(paper.log).toEqual(["begin", "a", "commit"]);
  });

  it.each([["a"], ["b"], ["c"]])("keep the others when %s fails", async (failing) => {
    const { paper, told, write } = fixture();
    paper.failing.set(failing, { isGone: false });
    const outcomes = await Promise.allSettled(["a", "b", "c"].map(write));
    const others = ["a", "b", "c"].filter((text) => text !== failing);
    expect(outcomes.map(({ status }) => status === "rejected")).toEqual(
      ["a", "b", "c"].map((text) => text === failing),
    );
    expect(paper.saved).toEqual(others);
    expect(told).toEqual(others);
  });

  it.each([
    ["the commit", "commit", false],
    ["the engine, in the middle", "b", true],
    ["the beginning", "begin", false],
  ])("are all refused when %s fails, or none is", async (_, name, isGone) => {
    const { paper, told, write } = fixture();
    paper.failing.set(name, { isGone });
    const outcomes = await Promise.allSettled(["a", "b", "c"].map(write));
    const kept = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(kept).toEqual(paper.saved);
    expect(told).toEqual(paper.saved);
    expect(await write("next")).toBe("next");
  });

  it("are saved whatever a read between them meets, as a damaged page would end their transaction", async () => {
    const { paper, queue, told, write } = fixture();
    const damaged = async () => {
      paper.end();
      throw new Error("damaged");
    };
    const outcomes = await Promise.allSettled([write("a"), queue.add("read", damaged), write("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(paper.saved).toEqual(["a", "b"]);
    expect(told).toEqual(["a", "b"]);
  });

  it("go on after a rollback that failed, and nothing of it is saved later", async () => {
    const { paper, write } = fixture();
    paper.failing.set("commit", { isGone: false });
    paper.failing.set("rollback", { isGone: false });
    await expect(write("a")).rejects.toThrow("commit failed");
    expect(await write("b")).toBe("b");
    expect(paper.saved).toEqual(["b"]);
  });

  it("hear their own error, though what came after could not be saved", async () => {
    const { paper, write } = fixture();
    paper.failing.set("a", { isGone: false });
    paper.failing.set("commit", { isGone: false });
    const [a, b] = await Promise.allSettled([write("a"), write("b")]);
    expect(a).toMatchObject({ reason: { message: "a failed" } });
    expect(b).toMatchObject({ reason: { message: "commit failed" } });
  });

  it("let a read see what is committed by the time it is told", async () => {
    const { paper, queue, write } = fixture();
    const [, seen] = await Promise.all([
      write("a"),
      queue.add("read", paper.read).then((n) => [n, paper.saved.length]),
    ]);
    expect(seen).toEqual([1, 1]);
  });

  it("read again what was read in a group that failed", async () => {
    const { paper, queue, write } = fixture();
    paper.failing.set("commit", { isGone: false });
    const refused = expect(write("a")).rejects.toThrow("commit failed");
    expect(await queue.add("read", paper.read)).toBe(0);
    await refused;
  });

  it.each(["read", "transaction"] as const)("leave the event loop its turns: %s", async (kind) => {
    const { paper, queue } = fixture();
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const work = async () => {
      now += 1;
      return paper.read();
    };
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(Array.from({ length: 100 }, () => queue.add(kind, work)));
    isOver = true;
    clock.mockRestore();
    expect(turns).toBeGreaterThanOrEqual(100 / 6);
  });

  it("wait for what has a transaction of its own, and it for them", async () => {
    const { paper, queue, write } = fixture();
    const alone = async () => {
      expect(paper.isInTransaction).toBe(false);
      return paper.saved.length;
    };
    const results = await Promise.all([write("a"), queue.add("alone", alone), write("b")]);
    expect(results).toEqual(["a", 1, "b"]);
  });
});
