import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    playgroundBuild: string;
  }
}

/** Makes the directory of the playground's build, which the first test that needs it fills. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "robota-playground-"));
  project.provide("playgroundBuild", directory);
  return () => rm(directory, { recursive: true, force: true });
}
