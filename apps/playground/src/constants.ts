/** Working directory of the agent. */
export const WORKSPACE_ROOT = "/workspace";
export const MODEL_NAME = "Offline guide";
export const MODEL_NOTE = "scripted, not AI";
