import type { ToolCall } from "../messages/message.ts";
import type { PermissionLists } from "../permissions/permission.ts";
import type { NativeWebTools } from "../providers/provider.ts";
import { WEB_SEARCH } from "../permissions/rules/tool-names.ts";
import type { Platform } from "../ports/platform.ts";
import { SILENT_TERMINAL } from "../ports/terminal.ts";
import type { Tool } from "../tools/tool.ts";
import type { HookAnswer } from "./approvals/answers.ts";
import {
  type ApprovalOptions,
  Approvals,
  type GrantStore,
  type PermissionEvaluator,
  type PermissionHandler,
} from "./approvals/approvals.ts";
import type { Attendance } from "./approvals/attendance.ts";
import { WorkspaceGrants } from "./approvals/workspace-grants.ts";
import type { Clock } from "../ports/assemble.ts";
import { askHooks, notifyDenied } from "./hooks/permission-hooks.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { PermissionRequest } from "./log/events.ts";
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
  readonly nativeWeb: NativeWebTools | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
}

/** `evaluator`: instead of the rules and the files, when a record is replayed. */
export function createApprovals(parts: ApprovalParts, evaluator?: PermissionEvaluator): Approvals {
  return new Approvals(new SessionApprovalOptions(parts, evaluator));
}

/** What approvals need of a session. Most is read when it is needed, since it may be found out only while it opens. */
class SessionApprovalOptions implements ApprovalOptions {
  readonly evaluator: PermissionEvaluator | undefined;
  readonly grants: GrantStore | undefined;
  readonly #parts: ApprovalParts;

  constructor(parts: ApprovalParts, evaluator: PermissionEvaluator | undefined) {
    const { hasStorage, hostPlatform, state } = parts;
    this.#parts = parts;
    this.evaluator = evaluator;
    this.grants = hasStorage ? new WorkspaceGrants(hostPlatform.storage, state) : undefined;
  }

  get log(): SessionLog {
    return this.#parts.log;
  }

  get state(): SessionState {
    return this.#parts.state;
  }

  get tools(): ReadonlyMap<string, Tool> {
    return this.#parts.tools;
  }

  get attendance(): Attendance {
    return this.#parts.attendance;
  }

  get randomUUID(): Clock["randomUUID"] {
    return this.#parts.clock.randomUUID;
  }

  get home(): string | undefined {
    return this.#parts.hostPlatform.home;
  }

  get shell(): Platform["shell"] {
    return this.#parts.hostPlatform.shell;
  }

  get fs(): Platform["fs"] {
    return this.#parts.platform.fs;
  }

  get roots(): SessionOptions["roots"] {
    return this.#parts.options.roots;
  }

  get handler(): PermissionHandler | undefined {
    const { options } = this.#parts;
    return options.permissionHandler ?? promptingHandler(options);
  }

  get unanswered(): "wait" | "deny" {
    return this.#parts.options.unanswered ?? "deny";
  }

  get guardUntrustedReads(): boolean | "from-start" {
    return this.#parts.options.guardUntrustedReads ?? false;
  }

  get loadsRulesLater(): boolean {
    return this.#parts.options.loadsRulesLater ?? false;
  }

  lists(): PermissionLists {
    return this.#parts.options.permissions ?? {};
  }

  readOnlyCommands(): boolean {
    return this.#parts.options.readOnlyCommands ?? true;
  }

  skillRules(name: string): readonly string[] {
    return this.#parts.options.skillRules?.(name) ?? [];
  }

  asWhole(tool: string): boolean {
    return tool === WEB_SEARCH && (this.#parts.nativeWeb?.webSearch ?? false);
  }

  onRequest(request: PermissionRequest, signal: AbortSignal): Promise<HookAnswer | undefined> {
    return askHooks(this.#parts.hooks, request, signal);
  }

  onDenied(call: ToolCall, reason: string): void {
    notifyDenied(this.#parts.hooks, call, reason);
  }
}

function promptingHandler({
  promptForApproval,
  terminal = SILENT_TERMINAL,
}: SessionOptions): PermissionHandler | undefined {
  if (!promptForApproval) return undefined;
  return (tool, args, request) => promptForApproval(terminal, tool, args, request);
}
