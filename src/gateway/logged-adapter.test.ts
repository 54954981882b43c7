import { expect, it } from "vitest";
import { platforms } from "../session/platform.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { loggedAdapter } from "./logged-adapter.js";

const [, HERE = ""] = platforms();

it("can do all that the adapter can, and tells of what comes and goes, never what was said", async () => {
  const adapter = new ScriptedAdapter({ can: ["edit", "find", "typing", "marks", "threads"] });
  const lines: string[] = [];
  const logged = loggedAdapter(adapter, (level, text) => lines.push(`${level} ${text}`));
  await logged.connect(async () => "accepted", {
    memory: { read: async () => null, write: async () => {} },
    commands: [],
    tell: () => {},
  });
  await adapter.write({ userId: "ann" }, "a secret");
  await logged.send({ address: { platform: HERE, chatId: "ann" }, text: "another", deliveryId: "d" });
  expect(lines).toHaveLength(2);
  expect(lines.join("\n")).toContain("ann");
  expect(lines.join("\n")).not.toMatch(/secret|another/);
  for (const name of ["edit", "find", "typing", "react", "createThread", "place", "disconnect"] as const)
    expect(logged[name], name).toBeTypeOf("function");
  expect(await logged.place?.({ platform: HERE, chatId: "ann" })).toMatchObject({ chatId: "ann" });
  expect(logged.live).toBeUndefined();
  expect(logged.capabilities).toBe(adapter.capabilities);
});
