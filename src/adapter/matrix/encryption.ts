/**
 * Encrypted rooms, by the engine that the SDK itself uses (the Rust one, as WebAssembly), driven by our sync. Its keys
 * are on the disk before anything that was made with them leaves: an older state after a crash would use a key twice.
 * One call at a time.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  Attachment,
  CollectStrategy,
  DecryptionSettings,
  DeviceId,
  DeviceLists,
  EncryptedAttachment,
  EncryptionAlgorithm,
  EncryptionSettings,
  HistoryVisibility,
  initAsync,
  OlmMachine,
  RequestType,
  RoomId,
  RoomSettings,
  StoreHandle,
  TrustRequirement,
  UserId,
} from "@matrix-org/matrix-sdk-crypto-wasm";
import type { Fields } from "../../util/json.js";
import { listOf, record, textOf } from "../untrusted.js";
import type { MatrixApi } from "./api.js";
import { id } from "./ids.js";
import { KeyStore } from "./key-store.js";

export interface EncryptionOptions {
  readonly api: MatrixApi;
  readonly userId: string;
  readonly deviceId: string;
  readonly folder: string;
}

/** A request that the engine wants to be made. */
interface Wanted {
  readonly id?: string | undefined;
  readonly type: RequestType;
  readonly body: string;
  readonly event_type?: string;
  readonly txn_id?: string;
  readonly room_id?: string;
}

const MEGOLM = "m.megolm.v1.aes-sha2";
const MAX_ROUNDS = 10;

/** This device's keys are elsewhere: what is encrypted for it cannot be read here. */
export class KeysElsewhere extends Error {}

export class Encryption {
  readonly #api: MatrixApi;
  readonly #machine: OlmMachine;
  readonly #store: KeyStore;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(api: MatrixApi, machine: OlmMachine, store: KeyStore) {
    this.#api = api;
    this.#machine = machine;
    this.#store = store;
  }

  static async open({ api, userId, deviceId, folder }: EncryptionOptions): Promise<Encryption> {
    const file = createHash("sha256").update(`${userId} ${deviceId}`).digest("hex").slice(0, 32);
    const store = await KeyStore.open(join(folder, `${file}.keys`));
    if (!store.isOld && (await hasKeys(api, userId, deviceId)))
      throw new KeysElsewhere(
        `Baton cannot read encrypted rooms: the keys of device ${deviceId} are not in ${folder}. ` +
          "Sign in again (not with the token of another app) and set MATRIX_ACCESS_TOKEN to the new token.",
      );
    await initAsync();
    const handle = await StoreHandle.open(store.name);
    const machine: OlmMachine = await OlmMachine.initFromStore(
      new UserId(userId),
      new DeviceId(deviceId),
      handle,
    );
    handle.free();
    machine.roomKeyRequestsEnabled = false;
    const encryption = new Encryption(api, machine, store);
    await encryption.settle().catch(async (error) => {
      await encryption.close();
      throw error;
    });
    return encryption;
  }

  /** What a batch of the sync brings for the keys. */
  receive(batch: Fields): Promise<void> {
    return this.#inTurn(async () => {
      const { changed, left } = record(batch.device_lists);
      const users = (given: unknown) =>
        listOf(given).flatMap((user) => (id(user, "@") ? [new UserId(user as string)] : []));
      const counts = Object.entries(record(batch.device_one_time_keys_count));
      const unused = batch.device_unused_fallback_key_types;
      await this.#machine.receiveSyncChanges(
        JSON.stringify(listOf(record(batch.to_device).events)),
        new DeviceLists(users(changed), users(left)),
        new Map(counts.filter(([, count]) => typeof count === "number")),
        Array.isArray(unused) ? new Set(unused.filter((name) => typeof name === "string")) : null,
      );
    });
  }

  /** Makes the requests that the engine wants, and keeps what it has. */
  settle(): Promise<void> {
    return this.#inTurn(() => this.#settle());
  }

  async #settle(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const wanted: Wanted[] = await this.#machine.outgoingRequests();
      if (wanted.length === 0) break;
      for (const request of wanted) await this.#make(request);
    }
    await this.#store.save();
  }

  /** A room is encrypted from now on; that is never taken back. */
  enable(roomId: string, content: Fields): Promise<void> {
    return this.#inTurn(async () => {
      if (content.algorithm !== MEGOLM) return;
      const settings = new RoomSettings();
      settings.algorithm = EncryptionAlgorithm.MegolmV1AesSha2;
      // Another setting than the first one is refused; the first one stays.
      await this.#machine.setRoomSettings(new RoomId(roomId), settings).catch(() => {});
    });
  }

  /** Whether the room was ever encrypted, whatever the homeserver says now. */
  isEncrypted(roomId: string): Promise<boolean> {
    return this.#inTurn(async () => (await this.#machine.getRoomSettings(new RoomId(roomId))) !== undefined);
  }

  /** What is inside an event; null where its key is not there, or was another sender's. */
  decrypt(roomId: string, event: Fields): Promise<Fields | null> {
    return this.#inTurn(async () => {
      try {
        const settings = new DecryptionSettings(TrustRequirement.Untrusted);
        const decrypted = await this.#machine.decryptRoomEvent(
          JSON.stringify(event),
          new RoomId(roomId),
          settings,
        );
        if (decrypted.sender && decrypted.sender.toString() !== event.sender) return null;
        return record(JSON.parse(decrypted.event));
      } catch {
        return null; // The engine says so by throwing, also where the event is no event.
      }
    });
  }

  /** The content of an event for these members' devices, which are given its key. */
  encrypt(
    roomId: string,
    members: readonly string[],
    room: Fields,
    type: string,
    content: Fields,
  ): Promise<Fields> {
    return this.#inTurn(async () => {
      const users = () => members.flatMap((member) => (id(member, "@") ? [new UserId(member)] : []));
      await this.#machine.updateTrackedUsers(users());
      await this.#settle();
      const claim: Wanted | undefined = await this.#machine.getMissingSessions(users());
      if (claim) await this.#make(claim);
      const shares: Wanted[] = await this.#machine.shareRoomKey(
        new RoomId(roomId),
        users(),
        settingsOf(room),
      );
      for (const share of shares) await this.#make(share);
      const encrypted = await this.#machine.encryptRoomEvent(
        new RoomId(roomId),
        type,
        JSON.stringify(content),
      );
      await this.#store.save();
      return record(JSON.parse(encrypted));
    });
  }

  encryptFile(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly keys: Fields } {
    const { encryptedData, mediaEncryptionInfo } = Attachment.encrypt(bytes);
    return { bytes: encryptedData, keys: record(JSON.parse(mediaEncryptionInfo ?? "{}")) };
  }

  /** Fails where the file is not what its message says. */
  decryptFile(bytes: Uint8Array, keys: Fields): Uint8Array {
    return Attachment.decrypt(new EncryptedAttachment(bytes, JSON.stringify(keys)));
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#store.save();
      this.#machine.close();
      await this.#store.forget();
    });
  }

  /** The keys are on the disk first: what leaves was made with them. */
  async #make(request: Wanted): Promise<void> {
    await this.#store.save();
    const answer = await this.#api.keys(...callOf(request));
    if (request.id) await this.#machine.markRequestAsSent(request.id, request.type, answer);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }
}

function callOf({ type, body, event_type, txn_id, room_id }: Wanted): ["POST" | "PUT", string, string] {
  const parts = (...given: (string | undefined)[]) =>
    given.map((part) => encodeURIComponent(part ?? "")).join("/");
  switch (type) {
    case RequestType.KeysUpload:
      return ["POST", "/keys/upload", body];
    case RequestType.KeysQuery:
      return ["POST", "/keys/query", body];
    case RequestType.KeysClaim:
      return ["POST", "/keys/claim", body];
    case RequestType.SignatureUpload:
      return ["POST", "/keys/signatures/upload", body];
    case RequestType.ToDevice:
      return ["PUT", `/sendToDevice/${parts(event_type, txn_id)}`, body];
    case RequestType.RoomMessage:
      return ["PUT", `/rooms/${parts(room_id)}/send/${parts(event_type, txn_id)}`, body];
    default:
      throw new Error(`the keys' engine wants what is not known here: ${type}`);
  }
}

function settingsOf(room: Fields): EncryptionSettings {
  const settings = new EncryptionSettings();
  settings.algorithm = EncryptionAlgorithm.MegolmV1AesSha2;
  settings.historyVisibility = HistoryVisibility.Shared;
  settings.sharingStrategy = CollectStrategy.allDevices();
  const { rotation_period_ms: ms, rotation_period_msgs: messages } = room;
  if (Number.isSafeInteger(ms) && (ms as number) > 0) settings.rotationPeriod = BigInt(ms as number) * 1_000n;
  if (Number.isSafeInteger(messages) && (messages as number) > 0)
    settings.rotationPeriodMessages = BigInt(messages as number);
  return settings;
}

/** The homeserver has keys of this device: somebody uploaded them. */
async function hasKeys(api: MatrixApi, userId: string, deviceId: string): Promise<boolean> {
  const answer = await api.keys(
    "POST",
    "/keys/query",
    JSON.stringify({ device_keys: { [userId]: [deviceId] } }),
  );
  const devices = record(record(record(JSON.parse(answer)).device_keys)[userId]);
  return textOf(record(devices[deviceId]).user_id) !== undefined;
}
