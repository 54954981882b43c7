import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { EventStream, type EventStreamSetting } from "./event-stream.js";
import { asEvent, postEvent } from "./hub.js";
import type { Post } from "./posts.js";
import type { WireEvent } from "./wire.js";

const MEBIBYTE = 2 ** 20;
const NOW: WireEvent = { kind: "changed", what: "jobs" };

/** A connection to a browser that reads when the test says so. */
class Connection extends EventEmitter {
  readonly told: string[] = [];
  writableLength = 0;
  readsAtOnce = true;
  ending: "ended" | "destroyed" | null = null;

  get writableNeedDrain(): boolean {
    return this.writableLength > 0;
  }

  write(text: string): boolean {
    this.told.push(text);
    if (!this.readsAtOnce) this.writableLength += text.length;
    return this.readsAtOnce;
  }

  read(): void {
    this.writableLength = 0;
    this.emit("drain");
  }

  end(): void {
    this.ending = "ended";
    this.emit("close");
  }

  destroy(): void {
    this.ending = "destroyed";
    this.emit("close");
  }

  /** The positions of the posts that were told, in order. */
  get positions(): number[] {
    return this.told.flatMap((text) => (/^id: (\d+)/.test(text) ? [Number(/\d+/.exec(text)?.[0])] : []));
  }

  get kinds(): string[] {
    return this.told.map((text) => /"kind":"(\w+)"/.exec(text)?.[1] ?? text.trim());
  }
}

function world(given: Partial<EventStreamSetting> = {}) {
  const connection = new Connection();
  const there: Post[] = [];
  const alarms: { readonly run: () => void; readonly ms: number }[] = [];
  let isIn = true;
  /** While it is shut, no post can be read. */
  let gate = Promise.resolve();
  const stream = new EventStream({
    output: connection,
    signedIn: { identity: "telegram:1", name: null, device: "one" },
    chatId: "1",
    posts: {
      last: async () => there.at(-1)?.position ?? 0,
      after: async (_, position, most) => {
        await gate;
        return there.filter((each) => each.position > position).slice(0, most);
      },
    },
    started: "now",
    turns: () => [],
    isStillIn: async () => isIn,
    later: (run, ms) => {
      const alarm = { run, ms };
      alarms.push(alarm);
      return () => void alarms.splice(alarms.indexOf(alarm), 1);
    },
    onOver: () => {},
    ...given,
  });
  return {
    ...{ connection, stream, alarms },
    add: (position: number, text = "hello") => {
      const post = postAt(position, text);
      there.push(post);
      return () => stream.posted(position, postEvent(post));
    },
    shut: () => {
      let open = (): void => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    signOut: () => {
      isIn = false;
    },
  };
}

function postAt(position: number, text: string): Post {
  return {
    ...{ position, thread: null, text, files: [], buttons: [], purpose: "reply", isGone: false },
    ...{ deliveryId: `d${position}`, messageId: `m${position}`, at: 0, transcript: null },
  };
}

const settled = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve();
};

describe("the order of posts", () => {
  test("what the browser does not have comes first, then everything once, in order", async () => {
    const { stream, connection, add } = world();
    for (const position of [1, 2, 3]) add(position);
    await stream.begin(1);
    add(4)();
    expect(connection.positions).toEqual([2, 3, 4]);
    expect(connection.kinds[0]).toBe("hello");
  });

  test("if a post comes before the previous one, both are read from the store and sent in order", async () => {
    const { stream, connection, add } = world();
    await stream.begin(0);
    const tellFirst = add(1);
    const tellSecond = add(2);
    tellSecond();
    tellFirst();
    await settled();
    expect(connection.positions).toEqual([1, 2]);
  });

  test("a post that is committed during a read is sent after it", async () => {
    const { stream, connection, add, shut } = world();
    await stream.begin(0);
    const open = shut();
    add(1);
    add(2)();
    add(3)();
    open();
    await settled();
    expect(connection.positions).toEqual([1, 2, 3]);
  });

  test("a position from a store that was replaced by an older one is not waited for", async () => {
    const { stream, connection, add } = world();
    add(1);
    await stream.begin(900);
    add(2)();
    expect(connection.positions).toEqual([2]);
  });

  test("what happens before the first read is over is asked for anew", async () => {
    const { stream, connection, shut } = world();
    const open = shut();
    const begun = stream.begin(0);
    await settled();
    stream.tell(asEvent(NOW));
    open();
    await begun;
    expect(connection.kinds).toEqual(["hello", "changed"]);
    expect(connection.told.at(-1)).toContain('"what":"all"');
  });
});

describe("a browser that does not read", () => {
  test("is let go once much is unread", async () => {
    const { stream, connection } = world();
    await stream.begin(0);
    connection.readsAtOnce = false;
    const event = asEvent(NOW);
    for (let unread = 0; unread < 3 * MEBIBYTE && connection.ending === null; unread += event.length)
      stream.tell(event);
    expect(connection.ending).toBe("destroyed");
    expect(connection.writableLength).toBeLessThan(MEBIBYTE + 2 * event.length);
  });

  test("is let go also while posts are read for it", async () => {
    const { stream, connection, add } = world();
    await stream.begin(0);
    connection.readsAtOnce = false;
    add(1, "x".repeat(1_000));
    add(2)(); // Not the next one: the first is read, and waits until the browser has read it.
    await settled();
    expect(connection.positions).toEqual([1]);
    const event = asEvent(NOW);
    for (let unread = 0; unread < 3 * MEBIBYTE && connection.ending === null; unread += event.length)
      stream.tell(event);
    expect(connection.ending).toBe("destroyed");
    expect(connection.writableLength).toBeLessThan(MEBIBYTE + 2_000);
  });

  test("gets each post after it has read the one before", async () => {
    const { stream, connection, add } = world();
    connection.readsAtOnce = false;
    for (let position = 1; position <= 250; position++) add(position);
    const begun = stream.begin(0);
    for (let n = 0; n < 251; n++) {
      await settled();
      expect(connection.positions.length).toBeLessThanOrEqual(n + 1);
      connection.read();
    }
    await begun;
    expect(connection.positions).toEqual(Array.from({ length: 250 }, (_, n) => n + 1));
  });
});

describe("every 15 seconds", () => {
  test("something comes, so that no proxy takes the line for dead", async () => {
    const { stream, connection, alarms } = world();
    await stream.begin(0);
    for (let n = 1; n <= 3; n++) {
      expect(alarms.map(({ ms }) => ms)).toEqual([15_000]);
      alarms.shift()?.run();
      await settled();
      expect(connection.told.filter((text) => text === ": \n\n")).toHaveLength(n);
    }
  });

  test("it is asked if somebody is still signed in", async () => {
    const { stream, connection, alarms, signOut } = world();
    await stream.begin(0);
    signOut();
    alarms.shift()?.run();
    await settled();
    expect([connection.kinds.at(-1), connection.ending, alarms.length]).toEqual(["out", "ended", 0]);
  });

  test("the check also runs while a browser that reads nothing gets old posts", async () => {
    const { stream, connection, alarms, add, signOut } = world();
    connection.readsAtOnce = false;
    for (const position of [1, 2, 3]) add(position);
    const begun = stream.begin(0);
    await settled();
    signOut();
    expect(alarms.map(({ ms }) => ms)).toEqual([15_000]);
    alarms.shift()?.run();
    await begun;
    // It would never read the end: what is unread goes with the connection.
    expect([connection.positions, connection.ending, alarms.length]).toEqual([[1], "destroyed", 0]);
  });

  test("comments count as unread, too", async () => {
    const { stream, connection, alarms, add } = world();
    connection.readsAtOnce = false;
    add(1, "x".repeat(2 * MEBIBYTE));
    add(2);
    const begun = stream.begin(0);
    await settled();
    alarms.shift()?.run();
    await begun;
    expect([connection.positions, connection.ending, alarms.length]).toEqual([[1], "destroyed", 0]);
  });

  test("a store that can't be read signs nobody out", async () => {
    const { stream, connection, alarms } = world({ isStillIn: () => Promise.reject(new Error("locked")) });
    await stream.begin(0);
    alarms.shift()?.run();
    await settled();
    expect([connection.told.at(-1), connection.ending]).toEqual([": \n\n", null]);
  });
});
