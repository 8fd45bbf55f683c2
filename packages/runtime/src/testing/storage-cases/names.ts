import type { Storage } from "../../ports/storage.ts";
import {
  assertBytes,
  assertEqual,
  assertRejects,
  type CaseTable,
  collect,
  toBytes,
} from "../contract.ts";
import type { StorageFixture } from "./fixture.ts";

const segment = "s".repeat(127);
const MAX_LENGTH = `${segment}/${segment}/${segment}/${"s".repeat(128)}`;

const INVALID = [
  "",
  "/",
  "/a",
  "a/",
  "a//b",
  ".",
  "..",
  "a/..",
  "../a",
  "a/./b",
  "a b",
  "a\n",
  "a\0",
  "a\\b",
  "a:b",
  "a%2Fb",
  "é",
  "日本",
  "s".repeat(129),
  `a/${"s".repeat(129)}`,
  `${MAX_LENGTH}s`,
  `${segment}/${segment}/${segment}/${segment}/s`,
];

const UNUSUAL = [
  "-",
  "-rf",
  "...",
  "..a",
  ".hidden",
  "A",
  "a",
  "a.json",
  "a.json.json",
  "a.jsonl",
  "a.lock",
  "a.tmp",
  "a/b",
  "a/b.json",
  "a/b/c",
  "__proto__",
  "constructor",
  "con",
  "values",
  "logs",
  "leases",
  "s".repeat(128),
  MAX_LENGTH,
].toSorted();

function uses(storage: Storage, name: string): [string, () => Promise<unknown>][] {
  return [
    ["get", () => storage.get(name)],
    ["set", () => storage.set(name, toBytes("x"))],
    ["version", () => storage.version(name)],
    ["delete", () => storage.delete(name)],
    ["append", () => storage.append(name, [toBytes("x")])],
    ["append of nothing", () => storage.append(name, [])],
    ["read", () => collect(storage.read(name))],
    ["deleteLog", () => storage.deleteLog(name)],
  ];
}

export const nameCases: CaseTable<StorageFixture> = {
  "refuses invalid keys, in every operation": async (store) => {
    const storage = await store.open();
    for (const name of INVALID) {
      for (const [method, use] of uses(storage, name)) {
        try {
          await assertRejects(use(), "INVALID_KEY", "StorageError");
        } catch (cause) {
          throw new Error(`${method} of ${JSON.stringify(name)}: ${String(cause)}`, { cause });
        }
      }
    }
    assertEqual(await storage.keys(""), []);
  },

  "keeps values under unusual names apart": async (store) => {
    const storage = await store.open();
    for (const key of UNUSUAL) await storage.set(key, toBytes(key));
    const later = await store.open();
    assertEqual(await later.keys(""), UNUSUAL);
    for (const key of UNUSUAL) assertBytes(await later.get(key), key);
    for (const key of UNUSUAL) {
      await later.delete(key);
      assertEqual(await later.get(key), undefined);
    }
    assertEqual(await later.keys(""), []);
  },

  "keeps logs under unusual names apart, and from values of the same name": async (store) => {
    const storage = await store.open();
    for (const name of UNUSUAL) {
      assertEqual(await storage.append(name, [toBytes(name), toBytes("log")]), 2);
    }
    assertEqual(await storage.keys(""), []);
    for (const name of UNUSUAL) await storage.set(name, toBytes("value"));
    for (const name of UNUSUAL) {
      const [first, ...others] = await collect(storage.read(name));
      assertBytes(first!.value, name);
      assertEqual(others.length, 1);
      await storage.deleteLog(name);
      assertBytes(await storage.get(name), "value");
      await storage.append(name, [toBytes("again")]);
      await storage.delete(name);
      assertEqual((await collect(storage.read(name))).length, 1);
    }
    assertEqual(await storage.keys(""), []);
  },

  "does not list leases as keys": async (store) => {
    const storage = await store.open();
    await using _lease = await storage.acquire("name");
    assertEqual(await storage.keys(""), []);
    assertEqual(await collect(storage.read("name")), []);
  },
};
