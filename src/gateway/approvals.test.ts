/** Who may answer which question. */
import { expect, it } from "vitest";
import type { SessionKey } from "../session/session-key.js";
import { localSource } from "../session/source.js";
import { Approvals, approver } from "./approvals.js";
import type { Who } from "./authorize.js";
import type { Role } from "./permissions.js";

const NO_MEMORY = { read: async () => null, write: async () => {} };
const key = "agent:main:local:dm" as SessionKey;
const somebody = (role: Role, identity: string): Who => ({
  source: localSource(),
  role,
  viewer: { kind: "person", identities: [identity] } as unknown as Who["viewer"],
  identities: [identity],
  names: [identity],
});

it("what only an owner may allow is not for its author to allow, unless they are one", () => {
  const approvals = new Approvals({ members: ["terminal"] }, () => 0, NO_MEMORY);
  const [owner, member] = [somebody("owner", "a:1"), somebody("member", "a:2")];
  const { signal } = new AbortController();
  const danger = { reason: "leaves the sandbox", what: "ls" };
  const { question } = approvals.ask(
    { tool: "act", key, number: 1, author: member, danger },
    signal,
    1_000_000,
  );
  const { question: strict } = approvals.ask(
    { tool: "act", key, number: 2, author: member, danger: { ...danger, onlyOwner: true } },
    signal,
    1_000_000,
  );
  expect(approvals.openTo(key, member)).toEqual([question]);
  expect(approvals.openTo(key, owner)).toEqual([question, strict]);
  for (const open of [question, strict]) approvals.answer(open, "denied");
});

it("what only an owner may allow is asked about, though it is in the store as allowed for good", async () => {
  const about = { key, author: somebody("owner", "a:1") };
  const approve = approver(new Approvals({}, () => 0, NO_MEMORY), about, null, { has: async () => true });
  const { signal } = new AbortController();
  const danger = { reason: "leaves the sandbox", what: "ls" };
  expect(await approve("act", danger, signal)).toBeNull();
  expect(await approve("act", { ...danger, onlyOwner: true }, signal)).toMatch(/^Error: not run/);
});
