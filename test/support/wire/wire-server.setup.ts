import type { TestProject } from "vitest/node";
import { startAimock } from "../aimock.ts";
import { startWireServer } from "./wire-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    wireOrigin: string;
    aimockOrigin: string;
  }
}

/** Starts the servers that tests find with `inject("wireOrigin")` and `inject("aimockOrigin")`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [server, aimock] = await Promise.all([startWireServer(), startAimock()]);
  project.provide("wireOrigin", server.origin);
  project.provide("aimockOrigin", aimock.origin);
  return async () => {
    await Promise.all([server.close(), aimock.close()]);
  };
}
