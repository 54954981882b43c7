/**
 * Invitations to rooms. Those who are let in may invite us at any time, strangers now and then: what they say then, the
 * gate refuses.
 */

import type { Fields } from "../../util/json.js";
import type { Line } from "../adapter.js";
import { listOf, record } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import { isMissing } from "./failure.js";
import { id } from "./ids.js";
import type { MatrixSelf } from "./mention.js";
import type { Pending } from "./pending.js";
import { senderIn } from "./rooms.js";

export interface InvitationsOptions {
  readonly api: MatrixApi;
  readonly self: MatrixSelf;
  readonly pending: Pending;
  readonly knows: Line["knows"];
}

export class Invitations {
  readonly #options: InvitationsOptions;
  /** Those that are being accepted. */
  readonly #joining = new Set<string>();

  constructor(options: InvitationsOptions) {
    this.#options = options;
  }

  async hear(roomId: string, room: Fields): Promise<void> {
    const { pending, self, knows } = this.#options;
    const events = listOf(record(room.invite_state).events).map(record);
    const ours = events.find(({ type, state_key }) => type === "m.room.member" && state_key === self.userId);
    const inviter = id(ours?.sender, "@");
    const isKnown = inviter !== undefined && (await knows(senderIn(roomId, inviter)));
    pending.invited(roomId, !isKnown, Date.now());
  }

  /** Beside the sync: far servers take their time. */
  acceptAll(): void {
    const { api, pending } = this.#options;
    for (const roomId of pending.invites) {
      if (this.#joining.has(roomId)) continue;
      this.#joining.add(roomId);
      const done = (error?: unknown): void => {
        this.#joining.delete(roomId);
        if (error === undefined || isMissing(error)) pending.answered(roomId);
        else pending.failed(roomId); // Again with the next batch.
      };
      api.join(roomId).then(() => done(), done);
    }
  }
}
