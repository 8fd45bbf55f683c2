import { BrowserStorage } from "@robota/adapters-web";
import { expect, it, onTestFinished, vi } from "vitest";
import { replaceMethod } from "./records.ts";

/** Three pages: 256 entries, then about a megabyte each. */
const ENTRIES = 900;
const ENTRY_BYTES = 3_000;

/** A storage with one long log, and the number of pages that were asked for; those from `failing` on can't be read. */
async function openLong({ failing = Infinity } = {}) {
  const storage = new BrowserStorage(crypto.randomUUID());
  onTestFinished(() => storage.dispose());
  const entries = Array.from({ length: ENTRIES }, () => new Uint8Array(ENTRY_BYTES));
  await storage.append("long", entries);
  const asked = { pages: 0 };
  replaceMethod(
    IDBObjectStore.prototype,
    "getAll",
    (original) =>
      function (this: IDBObjectStore, ...range) {
        asked.pages += 1;
        if (asked.pages >= failing) throw new DOMException("Unreadable", "UnknownError");
        return original.apply(this, range);
      },
  );
  const reader = storage.read("long")[Symbol.asyncIterator]();
  const take = async (count: number): Promise<void> => {
    for (let taken = 0; taken < count; taken++) await reader.next();
  };
  return { storage, asked, reader, take };
}

it("looks for the next page of a long log while the reader has the present one", async () => {
  const { storage, asked, take } = await openLong();
  await take(257);
  await vi.waitFor(() => expect(asked.pages).toBe(3));
  const numbers = await Array.fromAsync(storage.read("long"), ({ seq }) => seq);
  expect(numbers).toEqual(Array.from({ length: ENTRIES }, (_, index) => index + 1));
});

it("looks for no second page for a reader who wants no more than the first", async () => {
  const { storage, asked, reader, take } = await openLong();
  await take(256);
  await reader.return?.();
  await storage.version("anything");
  expect(asked.pages).toBe(1);
});

it("reports an unreadable page to those who read that far", async () => {
  const { asked, reader, take } = await openLong({ failing: 3 });
  await take(257);
  await vi.waitFor(() => expect(asked.pages).toBe(3));
  await expect(take(ENTRIES)).rejects.toMatchObject({ code: "IO" });
  expect((await reader.next()).done).toBe(true);
});
