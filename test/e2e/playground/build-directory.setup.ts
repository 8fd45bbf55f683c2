import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    playgroundBuilds: string;
  }
}

/** Makes the directory of the playground's builds, one for each process of tests that needs it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "robota-playground-"));
  project.provide("playgroundBuilds", directory);
  return () => rm(directory, { recursive: true, force: true });
}
