import { inspect } from "node:util";
import { s3FileSystem } from "@robota/files-s3";
import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "./memory-store.ts";

/** Longer than any request waits. */
const LONG_MS = 600_000;

const TEXT = new TextEncoder().encode("text");
const never = <Value>(): Promise<Value> => new Promise<Value>(() => undefined);
/** An answer whose beginning comes, and never its end. */
const half = async (): Promise<Response> =>
  new Response(new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(TEXT) }));

it.each([
  ["no answer", never<Response>],
  ["half an answer", half],
])("reports a store of which comes %s, and goes on once it answers", async (_, fault) => {
  const store = memoryStore();
  const files = s3FileSystem(store.options);
  await files.writeFile("/file", TEXT);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  store.intercept = () => {
    asked += 1;
    return fault();
  };
  const outcomes = Promise.allSettled([files.readFile("/file"), files.writeFile("/other", TEXT)]);
  let isSettled = false;
  void outcomes.then(() => (isSettled = true));
  await expect.poll(() => asked).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(LONG_MS);
      return isSettled;
    })
    .toBe(true);
  vi.useRealTimers();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({
      status: "rejected",
      reason: { name: "FileSystemError", code: "EIO", recoverable: true },
    });
  }
  delete store.intercept;
  expect(await files.readFile("/file")).toEqual(TEXT);
  await files.writeFile("/other", TEXT);
  expect(await s3FileSystem(store.options).readFile("/other")).toEqual(TEXT);
});

it("stores a change once that was carried out without an answer", async () => {
  const store = memoryStore();
  const files = s3FileSystem(store.options);
  await files.writeFile("/file", TEXT);
  const { fetch } = store.options;
  let isLost = false;
  store.intercept = (request) => {
    if (request.method !== "PUT" || isLost) return undefined;
    isLost = true;
    delete store.intercept;
    return fetch!(request).then(() => Promise.reject(new TypeError("fetch failed")));
  };
  await files.appendFile("/file", TEXT);
  expect(isLost).toBe(true);
  expect(await s3FileSystem(store.options).readFile("/file")).toHaveLength(2 * TEXT.length);
});

it.each([
  ["accessKeyId", { accessKeyId: "s3cret\nid", secretAccessKey: "x" }],
  ["secretAccessKey", { accessKeyId: "id", secretAccessKey: "s3cret key" }],
  ["sessionToken", { accessKeyId: "id", secretAccessKey: "x", sessionToken: "s3cret\ntoken" }],
])("refuses credentials that no header can hold, and does not repeat them: %s", async (_, keys) => {
  const { options } = memoryStore();
  expect(() => s3FileSystem({ ...options, credentials: keys })).toThrow("credentials");
  const files = s3FileSystem({ ...options, credentials: () => keys });
  const error = await files.readdir("/").catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "EACCES", hint: expect.stringContaining("credentials") });
  expect(inspect(error, { depth: 9 })).not.toContain("s3cret");
});

it("opens from a stored tree what it has written, with its modes and times", async () => {
  const store = memoryStore();
  const files = s3FileSystem(store.options);
  await files.mkdir("/shut/inner", { recursive: true });
  await files.writeFile("/shut/inner/file", TEXT);
  await files.symlink("inner/file", "/shut/link");
  await files.writeFile("/empty", "");
  await files.chmod("/shut/inner/file", 0o000);
  await files.chmod("/shut/inner", 0o500);
  await files.utimes("/shut", 5000);
  for (let count = 0; count < 70; count++) await files.writeFile("/count", `${count}`);
  await expect
    .poll(() => [...store.objects.keys()].filter((key) => key.includes("/trees/")))
    .not.toEqual([]);
  const again = s3FileSystem(store.options);
  for (const path of ["/", "/shut", "/shut/inner", "/shut/inner/file", "/shut/link", "/empty"])
    expect(await again.lstat(path)).toEqual(await files.lstat(path));
  expect(await again.readFile("/shut/link")).toEqual(TEXT);
  expect(await again.readFile("/empty")).toHaveLength(0);
});
