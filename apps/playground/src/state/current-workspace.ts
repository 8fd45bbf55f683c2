/** The one of a first visit, which the page's plain address opens. */
export const DEFAULT_WORKSPACE = "playground";
export const DEFAULT_NAME = "Playground";

/** The workspace of this tab, as its address says. */
export const workspaceId =
  new URLSearchParams(location.search).get("workspace") ?? DEFAULT_WORKSPACE;

/** The address of a workspace's page. */
export function workspaceAddress(id: string): string {
  const query = id === DEFAULT_WORKSPACE ? "" : `?${new URLSearchParams({ workspace: id })}`;
  return location.pathname + query;
}
