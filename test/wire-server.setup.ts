import type { TestProject } from "vitest/node";
import { startWireServer } from "./wire-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    wireOrigin: string;
  }
}

/** One wire server for the tests of a host; they find it with `inject("wireOrigin")`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startWireServer();
  project.provide("wireOrigin", server.origin);
  return () => server.close();
}
