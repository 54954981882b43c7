/**
 * What makes this machine one of the account's devices: its credentials and the keys of its conversations, in a folder
 * of the owner's alone. Every file is replaced in one step, so a crash leaves the old or the new one and never logs the
 * account out. A file that cannot be read is an error, never "not linked".
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from "baileys";
import { ConnectError } from "../../adapter.js";
import { replaceFile } from "../../private-file.js";

const CREDENTIALS = "credentials.json";

export class Credentials {
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore = {
    get: (type, ids) => this.#get(type, ids),
    set: (data) => this.#queued(() => this.#set(data)),
  };
  readonly #folder: string;
  /** One write at a time, in order: the last one said is the one that stays. */
  #writes: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(folder: string, creds: AuthenticationCreds = initAuthCreds()) {
    this.#folder = folder;
    this.creds = creds;
  }

  /** Null where this machine was never linked. */
  static async open(folder: string): Promise<Credentials | null> {
    const creds = (await read(join(folder, CREDENTIALS))) as AuthenticationCreds | null;
    return creds === null ? null : new Credentials(folder, creds);
  }

  /** Settles when the file has them. */
  save(): Promise<void> {
    const text = written(this.creds);
    return this.#queued(() => replaceFile(join(this.#folder, CREDENTIALS), text));
  }

  /** Nothing of the link is left on this machine. */
  async forget(): Promise<void> {
    await this.close();
    const names = await readdir(this.#folder);
    // The credentials first: keys without them are nothing.
    await rm(join(this.#folder, CREDENTIALS), { force: true });
    // What a crash left half written is a key too.
    for (const name of names)
      if (/\.json(?:\.\d+\.new)?$/.test(name)) await rm(join(this.#folder, name), { force: true });
  }

  /** What was to be written is, and nothing any more: the folder may be the next process's, whose keys are newer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writes;
  }

  #queued(write: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const done = this.#writes.then(write);
    this.#writes = done.catch(() => {}); // Whoever asked for it is told.
    return done;
  }

  async #get<T extends keyof SignalDataTypeMap>(
    type: T,
    ids: string[],
  ): Promise<Record<string, SignalDataTypeMap[T]>> {
    const found: Record<string, SignalDataTypeMap[T]> = {};
    await this.#writes;
    for (const id of ids) {
      const value = await read(this.#fileOf(type, id));
      if (value !== null) found[id] = revived(type, value);
    }
    return found;
  }

  async #set(data: SignalDataSet): Promise<void> {
    for (const [type, values] of Object.entries(data))
      for (const [id, value] of Object.entries(values ?? {})) {
        const file = this.#fileOf(type, id);
        if (value === null || value === undefined) await rm(file, { force: true });
        else await replaceFile(file, written(value));
      }
  }

  /** Ids come from outside: none becomes a path. */
  #fileOf(type: string, id: string): string {
    const name = createHash("sha256").update(id).digest("hex").slice(0, 32);
    return join(this.#folder, `${type}-${name}.json`);
  }
}

function written(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer));
}

async function read(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new ConnectError("permanent", `${path} cannot be read (${error.code}): its owner has to be you.`, {
      cause: error,
    });
  });
  if (text === null) return null;
  try {
    return JSON.parse(text, BufferJSON.reviver);
  } catch (error) {
    throw new ConnectError(
      "permanent",
      `${path} is damaged: restore the folder from a backup, or delete it and link the account again.`,
      { cause: error },
    );
  }
}

function revived<T extends keyof SignalDataTypeMap>(type: T, value: unknown): SignalDataTypeMap[T] {
  const isProto = type === "app-state-sync-key" && typeof value === "object" && value !== null;
  const given = isProto ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;
  return given as SignalDataTypeMap[T];
}
