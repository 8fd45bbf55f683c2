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

/** The facts about a tool that rules need. */
export type AskedTool = Pick<
  Tool,
  "name" | "access" | "accessOf" | "patternArgument" | "patternKind"
>;

/** Storage of rules that people allow for a whole workspace. */
export interface GrantStore {
  load(): Promise<readonly string[]>;
  save(rule: string): Promise<void>;
  remove(rule: string): Promise<void>;
}

/** Judges calls by the rules, the mode and the files at the time of the call. */
export interface PermissionEvaluator {
  explain(tool: AskedTool, args: ToolArgs, context: ToolContext): Promise<ExplainedOnFiles>;
  /** The pattern that was suggested with the request. */
  suggest(context: ToolContext): string | undefined;
}

export interface ApprovalOptions {
  readonly log: SessionLog;
  readonly state: SessionState;
  /** The rules that the session was given, which may be found out only while it opens. */
  lists(): PermissionLists;
  /** The session's tools; their access determines which results are untrusted. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tools that a wider answer covers as a whole, since no two of their calls are alike. */
  asWhole?(tool: string): boolean;
  readonly handler?: PermissionHandler | undefined;
  /** Treatment of a request that no handler answers. */
  readonly unanswered: "wait" | "deny";
  /** Notified of a request that waits for an answer. */
  readonly attendance?: Pick<Attendance, "waits"> | undefined;
  readonly randomUUID: () => string;
  /** The directories of the workspace, absolute; the session's working directory when omitted. */
  readonly roots?: readonly string[] | undefined;
  /** The home directory for `~` when no tool's context has one. */
  readonly home?: string | undefined;
  /** Resolves workspace directories that may be symlinks. */
  readonly fs?: Pick<FileSystem, "realpath"> | undefined;
  /** The one that command lines run on, where no tool's context says it. */
  readonly shell?: Pick<Shell, "kind"> | undefined;
  /** Loads the permission engine with the first call. By default, it loads with the session. */
  readonly loadsRulesLater?: boolean | undefined;
  /** Reports whether read-only commands run on the workspace without approval. By default true. */
  readOnlyCommands?(): boolean;
  /** The permission rules of a skill, by its name. */
  skillRules?(name: string): readonly string[];
  /** Makes calls that reach out or read outside ask again, once network content was read. */
  readonly guardUntrustedReads?: boolean | "from-start" | undefined;
  readonly grants?: GrantStore | undefined;
  /** Replaces the rules and files in a replay. */
  readonly evaluator?: PermissionEvaluator | undefined;
  /** Asked before the handler and any person. */
  onRequest?(...asked: Parameters<RequestHook>): ReturnType<RequestHook>;
  /** Called with every denied call. Its exceptions are its own. */
  onDenied?(call: ToolCall, reason: string): void;
}
