/**
 * Matrix, spoken: one user of one homeserver. It receives by its own sync, whose place is remembered only once all of
 * a batch was received, and sends under transaction ids made of delivery ids, so that the same delivery is one event.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Fields } from "../../util/json.js";
import { timerMs } from "../../util/timer-ms.js";
import { type Adapter, type Capabilities, ConnectError, type Line } from "../adapter.js";
import { Intake } from "../intake.js";
import { speakerWith } from "../speaker.js";
import { textOf } from "../untrusted.js";
import { MatrixApi } from "./api.js";
import { accountOf, isAddress, type MatrixSettings } from "./config.js";
import { textBytes } from "./content.js";
import type { Encryption } from "./encryption.js";
import { connectError, ifMissing, isMissing, notThere } from "./failure.js";
import { id } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { MatrixSelf } from "./mention.js";
import { Outgoing } from "./outgoing.js";
import { decryptedEvent } from "./parse.js";
import { Pending } from "./pending.js";
import { ROOM_STATES, Rooms } from "./rooms.js";
import { SeenEvents } from "./seen-events.js";
import { MatrixSpeaker } from "./speaker.js";
import { sync } from "./sync.js";
import { Timeline } from "./timeline.js";

const TIMEOUT_MS = 30_000;
const PLATFORM = "matrix";
const LOOK_AGAIN_MS = 500;
/** Under which name the account remembers how far everything was received. */
const NEXT_BATCH = "next_batch";

/** What the sync brings: messages and what rooms are, and nothing that nobody here looks at. */
const FILTER: Fields = {
  presence: { types: [] },
  account_data: { types: [] },
  room: {
    timeline: { limit: 50 },
    state: {
      types: ["m.room.member", ...ROOM_STATES],
      lazy_load_members: true,
    },
    ephemeral: { types: [] },
    account_data: { types: [] },
  },
};

/** Who we are, and what we ask and read by. */
interface Session {
  readonly api: MatrixApi;
  readonly userId: string;
  readonly encryption: Encryption | null;
}

export class MatrixAdapter implements Adapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly capabilities: Capabilities = { ...LIMITS, lengthOf: textBytes };
  readonly #settings: MatrixSettings;
  /** A homeserver has answered here before. */
  #wasThere = false;

  constructor(settings: MatrixSettings) {
    this.#settings = settings;
    this.account = accountOf(settings);
  }

  async serve(line: Line): Promise<void> {
    if (!isAddress(this.#settings)) throw notThere();
    const api = new MatrixApi({ timeoutMs: TIMEOUT_MS, ...this.#settings });
    line.end.addEventListener("abort", () => api.close());
    let encryption: Encryption | null = null;
    try {
      const { userId, deviceId } = await this.#whoAmI(api);
      encryption = await this.#openEncryption(api, userId, deviceId, line.problem);
      await this.#receive({ api, userId, encryption }, line);
    } catch (error) {
      if (!line.end.aborted) throw connectError(error, this.#wasThere);
    } finally {
      api.close();
      await encryption?.close();
    }
  }

  async #whoAmI(api: MatrixApi): Promise<{ userId: string; deviceId: string | undefined }> {
    const { user_id, device_id } = await api.whoAmI();
    const userId = id(user_id, "@");
    if (!userId) throw notThere();
    const expected = this.#settings.userId;
    if (expected !== undefined && expected !== userId)
      throw new ConnectError(
        "permanent",
        `The access token is that of ${userId}, not of ${expected}: change MATRIX_ACCESS_TOKEN or MATRIX_USER_ID.`,
      );
    return { userId, deviceId: textOf(device_id) };
  }

  /** Null where there is none, or no homeserver for it: then encrypted rooms stay closed, and the others work. */
  async #openEncryption(
    api: MatrixApi,
    userId: string,
    deviceId: string | undefined,
    problem: Line["problem"],
  ): Promise<Encryption | null> {
    const { folder } = this.#settings;
    if (folder === undefined || deviceId === undefined) return null;
    const { Encryption: Opened, KeysElsewhere } = await import("./encryption.js");
    try {
      return await Opened.open({ api, userId, deviceId, folder });
    } catch (error) {
      if (!(error instanceof KeysElsewhere) && !isMissing(error)) throw error;
      if (error instanceof KeysElsewhere) problem(error.message);
      return null;
    }
  }

  async #receive({ api, userId, encryption }: Session, line: Line): Promise<void> {
    const { memory, commands, receive, knows, reactions, problem, up, end } = line;
    const displayName = await api.displayName(userId).catch(ifMissing);
    const rooms = new Rooms(api);
    const seen = new SeenEvents(api, async (roomId, event) => {
      const clear = await encryption?.decrypt(roomId, event);
      return clear ? decryptedEvent(event, clear) : null;
    });
    const pending = new Pending(memory);
    await pending.load();
    const self: MatrixSelf = {
      userId,
      commands: new Set(commands.map(({ name }) => name)),
      ...(displayName ? { displayName } : {}),
    };
    let isOver = false;
    const intake = new Intake<string>({
      settle: async (token) => {
        await pending.save(Date.now());
        await memory.write(NEXT_BATCH, token);
      },
    });
    end.addEventListener("abort", () => void intake.stop());
    const timeline = new Timeline({
      ...{ api, self, rooms, seen, pending, encryption, receive, knows, reactions, problem, intake },
      isOver: () => isOver || end.aborted,
      wait: (attempt) => sleep(timerMs(LOOK_AGAIN_MS * attempt), undefined, { ref: false }),
    });
    const outgoing = new Outgoing({ api, userId, rooms, seen, encryption });
    const speaker = speakerWith(new MatrixSpeaker({ api, userId, rooms, seen, outgoing }), {
      fetch: ({ ref }, ...call) => timeline.fetch(JSON.parse(ref), ...call),
    });
    try {
      await sync({
        ...{ intake, end },
        since: await memory.read(NEXT_BATCH),
        pull: (since, waitMs) => api.sync(since, FILTER, waitMs),
        take: (batch, since, next) => timeline.take(batch, since, next),
        onAnswer: () => {
          this.#wasThere = true;
          up(speaker);
        },
      });
    } finally {
      isOver = true;
      api.close();
      await intake.stop();
    }
  }
}
