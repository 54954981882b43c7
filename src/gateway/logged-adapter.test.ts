import { expect, it } from "vitest";
import { platforms } from "../session/platform.js";
import { KeptAdapter } from "../testing/kept-adapter.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { loggedAdapter } from "./logged-adapter.js";

const [, HERE = ""] = platforms();

it("can do all that the adapter can, and tells of what comes and goes, never what was said", async () => {
  const adapter = new ScriptedAdapter({ can: ["edit", "find", "typing", "marks", "threads"] });
  const lines: string[] = [];
  const logged = new KeptAdapter(loggedAdapter(adapter, (level, text) => lines.push(`${level} ${text}`)));
  await logged.connect();
  await adapter.write({ userId: "ann" }, "a secret");
  await logged.send({ address: { platform: HERE, chatId: "ann" }, text: "another", deliveryId: "d" });
  expect(lines).toHaveLength(2);
  expect(lines.join("\n")).toContain("ann");
  expect(lines.join("\n")).not.toMatch(/secret|another/);
  for (const name of ["edit", "find", "typing", "react", "createThread", "place"] as const)
    expect(logged.speaker?.[name], name).toBeTypeOf("function");
  expect(await logged.place({ platform: HERE, chatId: "ann" })).toMatchObject({ chatId: "ann" });
  expect(logged.speaker?.live).toBeUndefined();
  expect(logged.capabilities).toBe(adapter.capabilities);
  await logged.disconnect();
});
