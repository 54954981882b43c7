/**
 * What every adapter must do, as a vitest suite over the rules of the port. An adapter of a real platform is given a
 * server that plays it: `adapterContract("my adapter", () => myFixture())`. What a fixture cannot play is skipped, with
 * the reason.
 */
import { describe } from "vitest";
import { buttonCases } from "./adapter/buttons.js";
import { connectionCases } from "./adapter/connection.js";
import { destinationCases } from "./adapter/destinations.js";
import { draftCases } from "./adapter/drafts.js";
import { editCases } from "./adapter/edits.js";
import { faultCases } from "./adapter/faults.js";
import { fileCases } from "./adapter/files.js";
import type { AdapterFixture } from "./adapter/fixture.js";
import { formattingCases } from "./adapter/formatting.js";
import { placeCases } from "./adapter/places.js";
import { reactionCases } from "./adapter/reactions.js";
import { receivingCases } from "./adapter/receiving.js";
import { sendingCases } from "./adapter/sending.js";
import { signCases } from "./adapter/signs.js";
import { Stage } from "./adapter/stage.js";
import { threadCases } from "./adapter/threads.js";
import { troubleCases } from "./adapter/trouble.js";

export function adapterContract(name: string, createFixture: () => Promise<AdapterFixture>): void {
  describe(`adapter: ${name}`, () => {
    const stage = new Stage(createFixture);
    for (const cases of [
      connectionCases,
      receivingCases,
      placeCases,
      destinationCases,
      threadCases,
      sendingCases,
      formattingCases,
      editCases,
      draftCases,
      fileCases,
      signCases,
      buttonCases,
      reactionCases,
      troubleCases,
      faultCases,
    ]) {
      cases(stage);
    }
  });
}
