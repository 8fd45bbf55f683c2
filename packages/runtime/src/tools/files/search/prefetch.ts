/** Maps items in their order, working on up to `ahead` of them at a time. */
export async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      running.push(work(item));
      if (running.length >= ahead) yield await running.shift()!;
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    // After an early stop, results are unused, but rejections must be handled.
    await Promise.allSettled(running);
  }
}
