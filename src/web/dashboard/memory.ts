/** GET /api/memory: what Baton remembers about this person. The ids are the numbers that /memory takes. */
import { memoryAt } from "../../gateway/memory/whose.js";
import type { MemoryNote } from "../../memory/notes.js";
import { cleanLine } from "../../util/text.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WireNote } from "../wire.js";

export function memoryRoutes(
  routes: Routes,
  { gateway: { memory: desk } }: { readonly gateway: Pick<WebSetting["gateway"], "memory"> },
): void {
  routes.get("/api/memory", async ({ who }) => {
    const reader = memoryAt(who, who.source);
    const notes = desk && reader ? await desk.list(reader) : [];
    return { items: notes.map(wireNote) };
  });
}

function wireNote({ id, text, madeAt }: MemoryNote): WireNote {
  return { id: `${id}`, text: cleanLine(text), at: madeAt };
}
