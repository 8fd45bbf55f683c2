import { Workspaces } from "@robota/adapters-web";
import {
  DEFAULT_NAME,
  DEFAULT_WORKSPACE,
  workspaceAddress,
  workspaceId,
} from "../state/current-workspace.ts";
import { workspaceName } from "../state/preferences.ts";

/** The workspaces of this browser; `workspaceName` follows the open one. Leaves the page when that one is not among them. */
export async function openList(): Promise<Workspaces> {
  const workspaces = new Workspaces({ list: "playground" });
  await workspaces.create(DEFAULT_NAME, { id: DEFAULT_WORKSPACE });
  const readName = async (): Promise<boolean> => {
    const open = (await workspaces.list()).find(({ id }) => id === workspaceId);
    if (open) workspaceName.set(open.name);
    return open !== undefined;
  };
  if (!(await readName())) {
    location.replace(workspaceAddress(DEFAULT_WORKSPACE));
    return new Promise(() => undefined);
  }
  workspaces.watch(() => void readName().catch(reportError));
  return workspaces;
}
