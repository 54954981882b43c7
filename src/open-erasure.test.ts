import { expect, test } from "vitest";
import type { Config } from "./config/config.js";
import { retentionOf } from "./open-erasure.js";

const config = (retention: Partial<Config["retention"]>) =>
  ({
    retention: { endedAfterDays: null, maxMegabytes: null, archive: "/a", ...retention },
  }) as unknown as Config;
const said: string[] = [];
const onDone = (text: string) => void said.push(text);

test("without a setting nothing is ever removed", () => {
  expect(retentionOf(config({}), false, onDone)).toEqual({});
  expect(retentionOf(config({ archive: null }), false, onDone)).toEqual({});
});

test("the settings say what goes, and where to", () => {
  const { retention } = retentionOf(config({ endedAfterDays: 2 }), false, onDone);
  expect(retention?.rules).toEqual({ endedBeforeMs: 2 * 86_400_000, maxBytes: null });
  expect(retention?.archive).not.toBeNull();
  const bare = retentionOf(config({ maxMegabytes: 3, archive: null }), false, onDone).retention;
  expect(bare?.rules).toEqual({ endedBeforeMs: null, maxBytes: 3 * 2 ** 20 });
  expect(bare?.archive).toBeNull();
  bare?.onDone?.({ sessions: 1, messages: 2, bytes: 3, oldest: [] });
  expect(said).toEqual(["Removed 1 ended session with 2 messages, by `retention`."]);
});

test("a script that asks one question removes nothing", () => {
  expect(retentionOf(config({ endedAfterDays: 2 }), true, onDone)).toEqual({});
});
