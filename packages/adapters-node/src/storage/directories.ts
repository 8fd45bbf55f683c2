import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "../files/durable.ts";

/** Makes a directory and its missing parents, for this user only, so that they last. */
export async function makePrivate(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}
