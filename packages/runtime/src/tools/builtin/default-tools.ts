import type { Platform } from "../../ports/platform.ts";
import type { Tool } from "../tool.ts";

/** The tools that a session has without being given any. */
export function createDefaultTools(_platform: Platform, _cwd: string): Tool[] {
  return [];
}
