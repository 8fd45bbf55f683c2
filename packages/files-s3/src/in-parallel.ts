/** Requests of one task at a time, within what browsers and workers allow. */
const MAX_REQUESTS = 16;

/** Maps `items` by `work`, some at once; the results are in order. Rejects with the first error. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const drain = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(MAX_REQUESTS, items.length) }, drain));
  return results;
}
