import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LIVED_THROUGH } from "../support/recovery/full-disk.ts";
import { hasSmallDisks } from "../support/servers/small-disk.ts";
import { startWorkerd } from "./workerd.ts";

/** Lets the session work, and resolves to the events that arrived before workerd ended the object. */
async function live(url: string): Promise<string[]> {
  let text = "";
  const { body } = await fetch(`${url}/live`);
  const broken = await Array.fromAsync(body ?? [], (chunk) => {
    text += Buffer.from(chunk).toString();
  }).then(
    () => false,
    () => true,
  );
  // workerd ends an object whose changes it can't commit, as it does everywhere: the object starts anew with the next request.
  expect(broken, text).toBe(true);
  return text.split("\n").slice(0, -1);
}

it("a session whose object ends because the disk is full loses nothing, and goes on when there is space", async ({
  skip,
}) => {
  if (!hasSmallDisks()) return skip("no file system can be mounted here");
  await using workerd = await startWorkerd({
    entry: "test/workerd/full-disk-worker.ts",
    objects: { STORE: "Store" },
    diskSize: "4m",
  });
  await writeFile(join(workerd.storage, "ballast"), new Uint8Array(1_500_000));
  const acknowledged = await live(workerd.url);
  expect(acknowledged.filter((event) => event.endsWith("turn_end")).length).toBeGreaterThan(2);
  await rm(join(workerd.storage, "ballast"));
  const body = acknowledged.join("\n");
  const response = await fetch(`${workerd.url}/check`, { method: "POST", body });
  const { whileFull: _, ...whole } = LIVED_THROUGH;
  expect(await response.json()).toEqual(whole);
});
