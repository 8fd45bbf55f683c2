import { SessionStore } from "@robota/runtime";
import { nodePlatform, type NodePlatformOptions } from "./platform.ts";

/**
 * The sessions of a project: those under `~/.robota/sessions` whose directory is `cwd`. Readable with ordinary tools:
 * `{id}.json` and `{id}.jsonl`, mode 0600.
 */
export function createProjectSessionStore(
  cwd: string,
  options: NodePlatformOptions = {},
): SessionStore {
  return new SessionStore(nodePlatform(options).storage, { cwd });
}
