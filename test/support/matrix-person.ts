/** A person with a client that encrypts: the SDK's whole client, which shares no code of ours. */
import {
  createClient,
  type MatrixClient,
  type MatrixEvent,
  MatrixEventEvent,
  RoomEvent,
} from "matrix-js-sdk";
import { logger } from "matrix-js-sdk/lib/logger.js";
import { shownTexts } from "./matrix-room.js";
import type { SynapseUser } from "./synapse.js";

const ENCRYPTED = [
  { type: "m.room.encryption", state_key: "", content: { algorithm: "m.megolm.v1.aes-sha2" } },
];

export class MatrixPerson {
  readonly #client: MatrixClient;
  readonly #read: MatrixEvent[] = [];
  #waiting: (() => void)[] = [];

  static async start({ homeserver, token, userId, deviceId }: SynapseUser): Promise<MatrixPerson> {
    (logger as unknown as { setLevel(level: string): void }).setLevel("silent");
    // Where the SDK has its engine tell all that it does.
    for (const level of ["debug", "log", "info", "warn"] as const) console[level] = () => {};
    const client = createClient({ baseUrl: homeserver, accessToken: token, userId, deviceId });
    await client.initRustCrypto({ useIndexedDB: false });
    const person = new MatrixPerson(client);
    await client.startClient({ initialSyncLimit: 20 });
    return person;
  }

  private constructor(client: MatrixClient) {
    this.#client = client;
    client.on(RoomEvent.Timeline, (event) => this.#see(event));
    client.on(MatrixEventEvent.Decrypted, (event) => this.#see(event));
  }

  async createEncryptedRoom(invite: readonly string[]): Promise<string> {
    const options = { invite: [...invite], preset: "private_chat", initial_state: ENCRYPTED };
    const { room_id } = await this.#client.createRoom(options as Parameters<MatrixClient["createRoom"]>[0]);
    await this.#until(() => this.#client.getRoom(room_id)?.hasEncryptionStateEvent() === true);
    return room_id;
  }

  /** Waits until they have come, as this person's client sees it. */
  async sees(roomId: string, userId: string): Promise<void> {
    await this.#until(() => this.#client.getRoom(roomId)?.getMember(userId)?.membership === "join");
  }

  async write(roomId: string, content: Record<string, unknown>): Promise<string> {
    const send = this.#client.sendMessage.bind(this.#client) as unknown as (
      room: string,
      given: Record<string, unknown>,
    ) => Promise<{ event_id: string }>;
    const { event_id } = await send(roomId, content);
    return event_id;
  }

  /** The content of what somebody else wrote, once it was read and its body, or what replaced it, is this. */
  async reads(
    body: string,
  ): Promise<{ readonly isEncrypted: boolean; readonly content: Record<string, unknown> }> {
    const found = (): MatrixEvent | undefined =>
      this.#read.find((event) => {
        const content = event.getContent();
        return (
          (content["m.new_content"]?.body ?? content.body) === body && event.getType() === "m.room.message"
        );
      });
    await this.#until(() => found() !== undefined);
    const event = found();
    return { isEncrypted: event?.isEncrypted() ?? false, content: event?.getContent() ?? {} };
  }

  /** What others wrote in a room and could be read, oldest first, with their edits made. */
  texts(roomId: string): readonly string[] {
    const events = new Map(this.#read.map((event) => [event.getId() ?? "", event]));
    return shownTexts(
      [...events.values()]
        .filter((event) => event.getRoomId() === roomId && !event.isDecryptionFailure())
        .map((event) => ({
          event_id: event.getId() ?? "",
          type: event.getType(),
          sender: event.getSender() ?? "",
          content: event.getContent(),
        })),
    );
  }

  stop(): void {
    this.#client.stopClient();
  }

  #see(event: MatrixEvent): void {
    if (event.getSender() !== this.#client.getUserId()) this.#read.push(event);
    for (const look of this.#waiting) look();
  }

  async #until(isSo: () => boolean): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      const look = (): void => void (isSo() && resolve());
      this.#waiting.push(look);
      timer = setInterval(look, 50); // Members come without an event of ours.
      look();
    });
    clearInterval(timer);
  }
}
