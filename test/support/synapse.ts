/** A real Synapse, as people and bots use it: those of a test are registered for it alone. */
import { randomBytes } from "node:crypto";

type Json = Record<string, unknown>;

export class SynapseUser {
  readonly homeserver: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly token: string;

  private constructor(homeserver: string, { user_id, device_id, access_token }: Record<string, string>) {
    this.homeserver = homeserver;
    this.userId = user_id ?? "";
    this.deviceId = device_id ?? "";
    this.token = access_token ?? "";
  }

  static async register(homeserver: string, name: string): Promise<SynapseUser> {
    const body = {
      username: `${name}-${randomBytes(6).toString("hex")}`,
      password: randomBytes(12).toString("hex"),
      auth: { type: "m.login.dummy" },
    };
    const response = await fetch(`${homeserver}/_matrix/client/v3/register`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`Synapse does not register: ${await response.text()}`);
    return new SynapseUser(homeserver, (await response.json()) as Record<string, string>);
  }

  async call(method: string, path: string, body?: Json): Promise<Json> {
    const response = await fetch(`${this.homeserver}/_matrix/client/v3${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Json;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** A room with these invited. */
  async createRoom(invite: readonly string[], options: Json = {}): Promise<string> {
    const { room_id } = await this.call("POST", "/createRoom", {
      preset: "private_chat",
      invite,
      ...options,
    });
    return String(room_id);
  }

  async join(roomId: string): Promise<void> {
    await this.call("POST", `/rooms/${encodeURIComponent(roomId)}/join`, {});
  }

  /** In this room. */
  async rename(roomId: string, displayname: string): Promise<void> {
    const path = `/rooms/${encodeURIComponent(roomId)}/state/m.room.member/${encodeURIComponent(this.userId)}`;
    await this.call("PUT", path, { membership: "join", displayname });
  }

  async send(roomId: string, content: Json, type = "m.room.message"): Promise<string> {
    const transaction = randomBytes(8).toString("hex");
    const path = `/rooms/${encodeURIComponent(roomId)}/send/${type}/${transaction}`;
    return String((await this.call("PUT", path, content)).event_id);
  }

  /** The room's events, oldest first. */
  async events(roomId: string): Promise<readonly RoomEvent[]> {
    const path = `/rooms/${encodeURIComponent(roomId)}/messages?dir=b&limit=500`;
    return [...((await this.call("GET", path)).chunk as RoomEvent[])].reverse();
  }

  async upload(bytes: Uint8Array, mediaType: string): Promise<string> {
    const response = await fetch(`${this.homeserver}/_matrix/media/v3/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "content-type": mediaType },
      body: new Uint8Array(bytes),
    });
    return ((await response.json()) as { content_uri: string }).content_uri;
  }

  async download(address: string): Promise<Uint8Array> {
    const path = `/_matrix/client/v1/media/download/${address.slice("mxc://".length)}`;
    const response = await fetch(this.homeserver + path, {
      headers: { authorization: `Bearer ${this.token}` },
    });
    return new Uint8Array(await response.arrayBuffer());
  }
}

export interface RoomEvent {
  readonly event_id: string;
  readonly type: string;
  readonly sender: string;
  readonly state_key?: string;
  readonly content: Json;
}
