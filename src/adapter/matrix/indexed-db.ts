/** The IndexedDB in memory, under the global names by which the keys' engine looks for one; and as much of its types as we use. */

export interface Databases {
  open(name: string, version?: number): OpenRequest;
  deleteDatabase(name: string): DatabaseRequest<unknown>;
  databases(): Promise<readonly { readonly name?: string }[]>;
}

export interface DatabaseRequest<T> {
  readonly result: T;
  readonly error: Error | null;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface OpenRequest extends DatabaseRequest<IndexedDatabase> {
  onupgradeneeded: (() => void) | null;
}

interface IndexedDatabase {
  readonly version: number;
  readonly objectStoreNames: Iterable<string>;
  transaction(store: string, mode?: "readwrite"): { objectStore(name: string): ObjectStore };
  createObjectStore(name: string, options: { keyPath: KeyPath | null; autoIncrement: boolean }): ObjectStore;
  close(): void;
}

interface ObjectStore {
  readonly keyPath: KeyPath | null;
  readonly autoIncrement: boolean;
  readonly indexNames: Iterable<string>;
  index(name: string): { readonly keyPath: KeyPath; readonly unique: boolean; readonly multiEntry: boolean };
  createIndex(name: string, keyPath: KeyPath, options: { unique: boolean; multiEntry: boolean }): unknown;
  getAllKeys(): DatabaseRequest<readonly unknown[]>;
  getAll(): DatabaseRequest<readonly unknown[]>;
  put(value: unknown, key?: unknown): DatabaseRequest<unknown>;
}

export type KeyPath = string | string[];

export async function databasesInMemory(): Promise<Databases> {
  const parts: Record<string, unknown> = await import("fake-indexeddb");
  for (const [name, part] of Object.entries(parts)) {
    if (name !== "indexedDB" && !name.startsWith("IDB")) continue;
    Object.defineProperty(globalThis, name, { value: part, configurable: true, writable: true });
  }
  return parts.indexedDB as Databases;
}

export function settled<T>(request: DatabaseRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
