import { s3FileSystem } from "@robota/files-s3";
import { fileSystemContract } from "@robota/runtime/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type RunningBucket, runCeph } from "../../../support/servers/ceph.ts";

let store: RunningBucket;
beforeAll(async () => {
  store = await runCeph();
}, 300_000);
afterAll(() => store[Symbol.asyncDispose]());

describe("an S3-compatible store as files", () => {
  let count = 0;
  const create = () => s3FileSystem({ ...store, prefix: `contract/${(count += 1)}` });
  for (const promise of fileSystemContract(create, { opensFiles: true }))
    it(promise.name, () => promise.run(), 300_000);
});
