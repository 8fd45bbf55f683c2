import type { PermissionMode } from "@robota/runtime";

/** Each mode's answer to calls that no rule covers. */
export const modeDescriptions: Readonly<Record<PermissionMode, string>> = {
  plan: "Plan: reads only. Changes and commands that change something are denied.",
  default: "Ask first: reads run; changes, commands and the network ask.",
  acceptEdits: "Accept edits: changes of files run too; commands and the network ask.",
  bypassPermissions: "Allow all: everything runs unless a rule denies it.",
};
