import { onTestFinished } from "vitest";

/** Reads one object store of a database, by its keys: the truth behind the ports. */
export async function records(database: string, store: string): Promise<Map<string, unknown>> {
  const connection = await settled(indexedDB.open(database));
  try {
    const objects = connection.transaction(store).objectStore(store);
    const [keys, values] = await Promise.all([
      settled(objects.getAllKeys()),
      settled<unknown[]>(objects.getAll()),
    ]);
    return new Map(keys.map((key, index) => [JSON.stringify(key), values[index]]));
  } finally {
    connection.close();
  }
}

export function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Puts a fault into a method of the browser until the end of the test. */
export function replaceMethod<T extends object, Name extends keyof T>(
  prototype: T,
  name: Name,
  replacement: (original: T[Name]) => T[Name],
): void {
  const original = prototype[name];
  onTestFinished(() => {
    prototype[name] = original;
  });
  prototype[name] = replacement(original);
}
