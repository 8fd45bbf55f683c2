import type { NativeWebTools } from "../providers/provider.ts";
import { WEB_SEARCH } from "../permissions/rules/tool-names.ts";
import type { Platform } from "../ports/platform.ts";
import { SILENT_TERMINAL } from "../ports/terminal.ts";
import type { Tool } from "../tools/tool.ts";
import {
  Approvals,
  type PermissionEvaluator,
  type PermissionHandler,
} from "./approvals/approvals.ts";
import type { Attendance } from "./approvals/attendance.ts";
import { workspaceGrants } from "./approvals/workspace-grants.ts";
import type { Clock } from "./clock.ts";
import { askHooks, notifyDenied } from "./hooks/permission-hooks.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { SessionLog } from "./log/log.ts";
import type { SessionOptions } from "./options.ts";
import type { SessionState } from "./state/state.ts";

export interface ApprovalParts {
  /** The session's own copy: lists may be put in while it opens. */
  readonly options: SessionOptions;
  readonly hostPlatform: Platform;
  readonly platform: Platform;
  readonly clock: Clock;
  readonly hasStorage: boolean;
  readonly log: SessionLog;
  readonly state: SessionState;
  readonly hooks: SessionHooks;
  readonly attendance: Attendance;
  readonly nativeWeb: () => NativeWebTools | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
}

/** `evaluator`: instead of the rules and the files, when a record is replayed. */
export function createApprovals(parts: ApprovalParts, evaluator?: PermissionEvaluator): Approvals {
  const { options, hostPlatform, platform, clock, hasStorage, state, hooks, nativeWeb } = parts;
  return new Approvals({
    log: parts.log,
    state,
    lists: () => options.permissions ?? {},
    handler: options.permissionHandler ?? promptingHandler(options),
    unanswered: options.unanswered ?? "deny",
    attendance: parts.attendance,
    randomUUID: clock.randomUUID,
    home: hostPlatform.home,
    shell: hostPlatform.shell,
    fs: platform.fs,
    roots: options.roots,
    guardUntrustedReads: options.guardUntrustedReads ?? false,
    loadsRulesLater: options.loadsRulesLater ?? false,
    readOnlyCommands: () => options.readOnlyCommands ?? true,
    skillRules: (name) => options.skillRules?.(name) ?? [],
    tools: parts.tools,
    asWhole: (tool) => tool === WEB_SEARCH && (nativeWeb()?.webSearch ?? false),
    grants: hasStorage ? workspaceGrants(hostPlatform.storage, state) : undefined,
    evaluator,
    onRequest: (request, signal) => askHooks(hooks, request, signal),
    onDenied: (call, reason) => notifyDenied(hooks, call, reason),
  });
}

function promptingHandler({
  promptForApproval,
  terminal = SILENT_TERMINAL,
}: SessionOptions): PermissionHandler | undefined {
  if (!promptForApproval) return undefined;
  return (tool, args, request) => promptForApproval(terminal, tool, args, request);
}
