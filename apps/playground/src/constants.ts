/** Working directory of the agent. */
export const WORKSPACE_ROOT = "/workspace";
