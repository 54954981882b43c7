/** What the browser keeps in its own database: messages that are not sent yet, and files of drafts. */

const NAME = "baton";
const TABLE = "kept";

let opening: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => void asked.result.createObjectStore(TABLE);
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opening;
}

async function inTable<Result>(
  mode: IDBTransactionMode,
  work: (table: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(TABLE, mode);
    const asked = work(transaction.objectStore(TABLE));
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Settles when it is on the disk. */
export async function keep(key: string, value: unknown): Promise<void> {
  await inTable("readwrite", (table) => table.put(value, key));
}

/** Keeps it in place of what is there; false if nothing is. */
export async function replace(key: string, value: unknown): Promise<boolean> {
  const found = await inTable("readwrite", (table) => {
    const asked = table.openCursor(key);
    asked.onsuccess = () => void asked.result?.update(value);
    return asked;
  });
  return found !== null;
}

export async function kept<Value>(key: string): Promise<Value | undefined> {
  return inTable("readonly", (table) => table.get(key) as IDBRequest<Value | undefined>);
}

/** Everything whose key begins like this. */
export async function allKept<Value>(beginning: string): Promise<Value[]> {
  const range = IDBKeyRange.bound(beginning, `${beginning}\uffff`);
  return inTable("readonly", (table) => table.getAll(range) as IDBRequest<Value[]>);
}

export async function drop(key: string): Promise<void> {
  await inTable("readwrite", (table) => table.delete(key));
}

export async function dropAll(beginning: string): Promise<void> {
  const range = IDBKeyRange.bound(beginning, `${beginning}\uffff`);
  await inTable("readwrite", (table) => table.delete(range));
}
