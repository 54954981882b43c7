/** What an answer that is a failure asks for. */
import { describe, expect, it, vi } from "vitest";
import { fetchJson, HttpRefusal, pause, within } from "./http-call.js";

const waitOf = (status: number, headers: Record<string, string>): number | undefined =>
  new HttpRefusal(new Response("", { status, headers }), "").retryAfterMs;

describe("how long a server asks to wait", () => {
  it.each([
    [429, "3", 3_000],
    [503, "3", 3_000],
    [429, "1.5", 1_500],
    [429, "0", undefined],
    [429, "soon", undefined],
    [429, "Thu, 01 Jan 1970 00:00:00 GMT", undefined],
    [401, "3", undefined],
    [500, "3", undefined],
  ])("with status %i and Retry-After: %s", (status, said, ms) => {
    expect(waitOf(status, { "retry-after": said })).toBe(ms);
  });

  it("until a date", () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const ms = waitOf(429, { "retry-after": date }) ?? 0;
    expect(ms).toBeGreaterThan(3_000_000);
    expect(ms).toBeLessThanOrEqual(3_600_000);
  });

  it("is not what a server tells with every answer", () => {
    expect(waitOf(403, { "x-ratelimit-reset": "1" })).toBeUndefined();
    expect(waitOf(429, { "x-ratelimit-reset": "1" })).toBe(1_000);
  });
});

describe("an answer for a library that expects JSON", () => {
  const answered = async (body: string, status = 200, headers: Record<string, string> = {}) => {
    vi.stubGlobal("fetch", async () => new Response(body || null, { status, headers }));
    try {
      return await fetchJson("http://chat.test", {}).catch((error: unknown) => error);
    } finally {
      vi.unstubAllGlobals();
    }
  };

  it("is passed on if it is", async () => {
    const response = await answered('{"ok":false}', 400);
    expect(response).toMatchObject({ status: 400 });
    expect(await (response as Response).json()).toEqual({ ok: false });
    expect(await answered("", 204)).toMatchObject({ status: 204 });
  });

  it.each([
    ["a page", "<html>Bad Gateway</html>", 502, true],
    ["nothing", "", 502, false],
    ["nothing where something should be", "", 200, false],
    ["half of it", '{"ok":true,', 200, true],
  ])("keeps its status if it is %s", async (_, body, status, isPage) => {
    const refusal = await answered(body, status, { "retry-after": "3" });
    expect(refusal).toBeInstanceOf(HttpRefusal);
    expect(refusal).toMatchObject({ status, isPage, retryAfterMs: undefined });
  });

  it("says how long to wait, also on a page", async () => {
    expect(await answered("<html>", 429, { "retry-after": "3" })).toMatchObject({ retryAfterMs: 3_000 });
  });
});

it("any number of calls and pauses may wait for one end", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  const end = new AbortController();
  const calls = Array.from({ length: 30 }, () =>
    within(60_000, end.signal, (signal) => pause(60_000, signal)),
  );
  const pauses = Array.from({ length: 30 }, () => pause(60_000, end.signal));
  end.abort();
  await Promise.all([...calls, ...pauses]);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
