import type { ToolArgs, ToolCall } from "../../messages/message.ts";
import type { ExplainedOnFiles } from "../../permissions/paths/explain-on-files.ts";
import type { PermissionLists } from "../../permissions/permission.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Shell } from "../../ports/shell.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { PermissionHandler, RequestHook } from "./answers.ts";
import type { Attendance } from "./attendance.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionState } from "../state/state.ts";

/** What rules need to know of a tool. */
export type AskedTool = Pick<Tool, "name" | "access" | "patternArgument">;

/** Where the rules are kept that people allow for a whole workspace. */
export interface GrantStore {
  load(): Promise<readonly string[]>;
  save(rule: string): Promise<void>;
  remove(rule: string): Promise<void>;
}

/** What says of a call what the rules, the mode and the files said when it was made. */
export interface PermissionEvaluator {
  explain(tool: AskedTool, args: ToolArgs, context: ToolContext): Promise<ExplainedOnFiles>;
  /** The pattern that was suggested with the request. */
  suggest(context: ToolContext): string | undefined;
}

export interface ApprovalOptions {
  log: SessionLog;
  state: SessionState;
  /** The rules that the session was given, which may be found out only while it opens. */
  lists(): PermissionLists;
  /** Tools that a wider answer covers as a whole, since no two of their calls are alike. */
  asWhole?: (tool: string) => boolean;
  handler?: PermissionHandler | undefined;
  /** What happens to a request that no handler answers. */
  unanswered: "wait" | "deny";
  /** Told of a request that waits for an answer. */
  attendance?: Pick<Attendance, "waits">;
  randomUUID: () => string;
  /** The directories of the workspace, absolute; the session's working directory when omitted. */
  roots?: readonly string[];
  /** What `~` stands for where no tool's context says it. */
  home?: string;
  /** Where directories of the workspace are looked up that may be links. */
  fs?: Pick<FileSystem, "realpath">;
  /** The one that command lines run on, where no tool's context says it. */
  shell?: Pick<Shell, "kind">;
  /** Whether what judges calls is loaded with the first call. False when omitted: with the session. */
  loadsRulesLater?: boolean;
  /** Whether commands that only look at the workspace run without asking, now. True when omitted. */
  readOnlyCommands?: () => boolean;
  /** Whether, once something from the network was read, reaching out and looking outside ask again. */
  guardUntrustedReads?: boolean | "from-start";
  grants?: GrantStore;
  /** Instead of the rules and the files, when a record is gone through again. */
  evaluator?: PermissionEvaluator;
  /** Asked before the handler and any person. */
  onRequest?: RequestHook;
  /** Told of every call that was not allowed. What it throws is its own. */
  onDenied?(call: ToolCall, reason: string): void;
}
