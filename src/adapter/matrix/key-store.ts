/**
 * The keys' engine keeps its keys in an IndexedDB, of which Node has none: it is given one in memory, and that one is
 * written to a file of ours, whole, whenever it has changed. The file is replaced in one step and is the owner's alone.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import { ConnectError } from "../adapter.js";
import { replaceFile } from "../private-file.js";
import { type Databases, databasesInMemory, type KeyPath, settled } from "./indexed-db.js";

interface SavedStore {
  readonly name: string;
  readonly keyPath: KeyPath | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly {
    readonly name: string;
    readonly keyPath: KeyPath;
    readonly unique: boolean;
    readonly multiEntry: boolean;
  }[];
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];
}

interface SavedDatabase {
  /** What follows the store's name. */
  readonly suffix: string;
  readonly version: number;
  readonly stores: readonly SavedStore[];
}

export class KeyStore {
  /** What the names of its databases in memory begin with; another each time it is opened. */
  readonly name = `matrix-${randomUUID()}`;
  readonly #file: string;
  readonly #databases: Databases;
  #saved: Buffer | null = null;

  private constructor(file: string, databases: Databases) {
    this.#file = file;
    this.#databases = databases;
  }

  /** As the file has it; the engine finds it by its name. */
  static async open(file: string): Promise<KeyStore> {
    const store = new KeyStore(file, await databasesInMemory());
    store.#saved = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    try {
      const databases = store.#saved ? (deserialize(store.#saved) as readonly SavedDatabase[]) : [];
      for (const database of databases) await store.#load(database);
    } catch (error) {
      throw new ConnectError(
        "permanent",
        `The keys of encrypted rooms in ${file} cannot be read: restore the file from a backup, or delete it, ` +
          "sign in again and set MATRIX_ACCESS_TOKEN to the new token.",
        { cause: error },
      );
    }
    return store;
  }

  /** There were keys before. */
  get isOld(): boolean {
    return this.#saved !== null;
  }

  /** Settles when the file has what the engine has. */
  async save(): Promise<void> {
    const databases: SavedDatabase[] = [];
    for (const name of await this.#names()) databases.push(await this.#dump(name));
    const bytes = serialize(databases);
    if (this.#saved?.equals(bytes)) return;
    await replaceFile(this.#file, bytes);
    this.#saved = bytes;
  }

  /** Takes it out of memory, as soon as the engine has left it; the file stays. */
  async forget(): Promise<void> {
    for (const name of await this.#names()) this.#databases.deleteDatabase(name);
  }

  async #names(): Promise<string[]> {
    const all = await this.#databases.databases();
    return all.flatMap(({ name }) => (name?.startsWith(this.name) ? [name] : [])).sort();
  }

  async #dump(name: string): Promise<SavedDatabase> {
    const database = await settled(this.#databases.open(name));
    const stores: SavedStore[] = [];
    for (const storeName of [...database.objectStoreNames].sort()) {
      const store = database.transaction(storeName).objectStore(storeName);
      const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
      stores.push({
        name: storeName,
        keyPath: store.keyPath,
        autoIncrement: store.autoIncrement,
        indexes: [...store.indexNames].map((index) => {
          const { keyPath, unique, multiEntry } = store.index(index);
          return { name: index, keyPath, unique, multiEntry };
        }),
        keys,
        values,
      });
    }
    const { version } = database;
    database.close();
    return { suffix: name.slice(this.name.length), version, stores };
  }

  async #load({ suffix, version, stores }: SavedDatabase): Promise<void> {
    const request = this.#databases.open(this.name + suffix, version);
    request.onupgradeneeded = () => {
      for (const { name: storeName, keyPath, autoIncrement, indexes } of stores) {
        const store = request.result.createObjectStore(storeName, { keyPath, autoIncrement });
        for (const { name: index, keyPath: path, unique, multiEntry } of indexes)
          store.createIndex(index, path, { unique, multiEntry });
      }
    };
    const database = await settled(request);
    for (const { name: storeName, keyPath, keys, values } of stores) {
      const store = database.transaction(storeName, "readwrite").objectStore(storeName);
      await Promise.all(
        values.map((value, at) => settled(keyPath === null ? store.put(value, keys[at]) : store.put(value))),
      );
    }
    database.close();
  }
}
