import { expect, it } from "vitest";
import { GroupCommit } from "./group-commit.ts";

/** A store that takes whole batches, as long as nothing in them is "bad". */
function recordingStore() {
  const batches: string[][] = [];
  const commit = new GroupCommit<string, number>(async (items) => {
    batches.push([...items]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (items.includes("bad")) throw new Error(`no room for ${items.join(" and ")}`);
    return items.map((item) =>
      item === "refused" ? { error: new Error("refused") } : { value: item.length },
    );
  });
  return { batches, commit };
}

it("stores items added together in one batch, and later ones in the next", async () => {
  const { batches, commit } = recordingStore();
  const first = [commit.add("a"), commit.add("bb")];
  await Promise.resolve();
  await Promise.resolve();
  const second = [commit.add("ccc"), commit.add("dddd")];
  expect(await Promise.all([...first, ...second])).toEqual([1, 2, 3, 4]);
  expect(batches).toEqual([
    ["a", "bb"],
    ["ccc", "dddd"],
  ]);
});

it("refuses one item of a batch without the others", async () => {
  const { commit } = recordingStore();
  const [kept, refused] = await Promise.allSettled([commit.add("a"), commit.add("refused")]);
  expect([kept.status, refused.status]).toEqual(["fulfilled", "rejected"]);
});

it("retries the items of a failed batch one by one, in order, before later ones", async () => {
  const { batches, commit } = recordingStore();
  const failing = ["a", "bad", "c"].map((item) => commit.add(item));
  await Promise.resolve();
  await Promise.resolve();
  const later = commit.add("later");
  const results = await Promise.allSettled([...failing, later]);
  expect(results.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  expect(batches).toEqual([["a", "bad", "c"], ["a"], ["bad"], ["c"], ["later"]]);
});

it("is idle when every added item was stored or refused", async () => {
  const { batches, commit } = recordingStore();
  await commit.idle();
  const results = Promise.allSettled([commit.add("a"), commit.add("bad")]);
  await commit.idle();
  expect(batches).toHaveLength(3);
  await results;
});
