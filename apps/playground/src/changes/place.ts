import type { ClientSession } from "@robota/runtime/sessions";
import { WORKSPACE_ROOT } from "../constants.ts";

/** The path at which the page has a file of a session, whose server may have it elsewhere. */
export function placeOnPage({ workspace }: Pick<ClientSession, "workspace">, path: string): string {
  return moved(path, workspace.cwd, WORKSPACE_ROOT);
}

/** The path at which a session has a file of the page. */
export function placeInSession(
  { workspace }: Pick<ClientSession, "workspace">,
  path: string,
): string {
  return moved(path, WORKSPACE_ROOT, workspace.cwd);
}

function moved(path: string, from: string, to: string): string {
  const start = from === "/" ? from : `${from}/`;
  const end = to === "/" ? to : `${to}/`;
  return path.startsWith(start) ? end + path.slice(start.length) : path;
}
