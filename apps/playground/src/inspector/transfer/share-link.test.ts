import { expect, it } from "vitest";
import { linkFragment, sessionInLink } from "./share-link.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

it("holds an export in the fragment of an address, and gives the same bytes back", async () => {
  const text = `{"event":{"seq":1}}\n`.repeat(500);
  const fragment = await linkFragment(bytesOf(text));
  expect(fragment).toMatch(/^#\/import\/[\w-]+$/);
  expect(fragment.length).toBeLessThan(text.length / 10);
  expect(new TextDecoder().decode(await sessionInLink(fragment))).toBe(text);
});

it("refuses a link that was cut, that is no link of ours, or that unpacks to too much", async () => {
  const fragment = await linkFragment(crypto.getRandomValues(new Uint8Array(2000)));
  await expect(sessionInLink(fragment.slice(0, -200))).rejects.toThrow("damaged");
  await expect(sessionInLink("#/import/%%%")).rejects.toThrow("damaged");
  const bomb = await linkFragment(new Uint8Array(5_000_000));
  expect(bomb.length).toBeLessThan(20_000);
  await expect(sessionInLink(bomb)).rejects.toThrow("too large");
});
