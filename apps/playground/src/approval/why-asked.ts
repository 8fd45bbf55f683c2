import { explainPermission, type PermissionMode, type PermissionRequest } from "@robota/runtime";
import { WORKSPACE_ROOT } from "../constants.ts";
import { wordsOf } from "../tools/describe-tool.ts";

const modeNames: Readonly<Record<PermissionMode, string>> = {
  plan: "Plan",
  default: "Ask first",
  acceptEdits: "Accept edits",
  bypassPermissions: "Allow all",
};

/** The grounds of a question. */
export interface Grounds {
  /** For a rule: the rule itself, and where it stands. */
  rule?: string | undefined;
  layer?: string | undefined;
  /** The part of a command line that it is about, where that is not the whole line. */
  command?: string | undefined;
  text: string;
}

/** Why a request is put to a person, in their words. */
export function whyAsked(request: PermissionRequest, mode: PermissionMode): Grounds {
  const { tool, args, rule, layer, reason } = request;
  const command = request.command === args["command"] ? undefined : request.command;
  if (rule !== undefined) return { rule, layer, command, text: "asks for approval." };
  if (!isModeReason(request, mode)) return { command, text: reason };
  const subject = wordsOf(tool)?.subject ?? "tools that may change something";
  return { command, text: `No rule matches. “${modeNames[mode]}” mode asks before ${subject}.` };
}

/** True when the reason is that of the mode: no rule matched, and nothing protected is touched. */
function isModeReason({ tool, args, reason }: PermissionRequest, mode: PermissionMode): boolean {
  const context = { cwd: WORKSPACE_ROOT, roots: [WORKSPACE_ROOT] };
  const { step, reason: expected } = explainPermission(tool, args, mode, {}, context);
  return step === "mode" && reason === expected;
}
