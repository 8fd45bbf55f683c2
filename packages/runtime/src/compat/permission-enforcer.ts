import { defined } from "../defined.ts";
import { callSafely, errorMessage, isAbortError } from "../errors.ts";
import type { HooksConfig } from "../hooks/definition.ts";
import { HookRunner } from "../hooks/hook-runner.ts";
import type { HookHost } from "../hooks/run-hooks.ts";
import type { JsonValue, ToolArgs } from "../messages/message.ts";
import type { ToolErrorCode } from "../messages/tool-error-code.ts";
import {
  type PermissionLists,
  type PermissionMode,
  requirePermissionMode,
} from "../permissions/permission.ts";
import type { Platform } from "../ports/platform.ts";
import { SILENT_TERMINAL, type TerminalOutput } from "../ports/terminal.ts";
import {
  type PermissionHandler,
  Approvals,
  type PermissionHint,
} from "../session/approvals/approvals.ts";
import { SessionLog } from "../session/log/log.ts";
import type { ToolExecution } from "../session/options.ts";
import { SessionState } from "../session/state/state.ts";
import type { PromptForApproval } from "../session/terminal/prompt-for-approval.ts";
import { boundOutput } from "../tools/text-limit.ts";
import type { Tool, ToolContext, ToolResult } from "../tools/tool.ts";
import { toolFacts } from "../tools/tool-facts.ts";
import { invalidArgumentsText, validateArgs } from "../tools/validate-args.ts";

export interface PermissionEnforcerOptions {
  /** Platform whose shell and network run hooks, and whose clock and ids are used. */
  platform: Platform;
  sessionId: string;
  /** Absolute; `/` when omitted. */
  cwd?: string | undefined;
  /** `default` when omitted. */
  permissionMode?: PermissionMode | undefined;
  permissions?: PermissionLists | undefined;
  permissionHandler?: PermissionHandler | undefined;
  /** Fallback when there is no handler; without both, calls that need approval are denied. */
  promptForApproval?: PromptForApproval | undefined;
  terminal?: TerminalOutput | undefined;
  hooks?: HooksConfig | undefined;
  hookHost?: Pick<HookHost, "executors" | "ask" | "runAgent" | "egress"> | undefined;
  onToolExecution?(execution: ToolExecution): void;
}

/**
 * Guards tools outside of a session as a session does: hooks, rules, the mode and people judge each call, long output
 * is truncated, and a failure is a result.
 */
export class PermissionEnforcer {
  readonly #options: PermissionEnforcerOptions;
  readonly #state = new SessionState();
  readonly #approvals: Approvals;
  readonly #hooks: HookRunner;

  constructor(options: PermissionEnforcerOptions) {
    const { platform, sessionId, cwd = "/", permissionMode = "default" } = options;
    requirePermissionMode(permissionMode);
    this.#options = options;
    this.#state.cwd = cwd;
    this.#state.mode = permissionMode;
    const log = new SessionLog({ sessionId, storage: undefined, now: () => platform.now() });
    log.subscribe((event) => this.#state.apply(event));
    this.#approvals = new Approvals({
      log,
      state: this.#state,
      lists: () => options.permissions ?? {},
      handler: options.permissionHandler ?? promptingHandler(options),
      tools: new Map(),
      unanswered: "deny",
      randomUUID: () => platform.randomUUID(),
      home: platform.home,
    });
    this.#hooks = new HookRunner(options.hooks ?? {}, {
      platform,
      ...options.hookHost,
      sessionId,
      cwd: () => cwd,
      permissionMode: () => this.#state.mode,
    });
  }

  wrapTools(tools: readonly Tool[]): Tool[] {
    return tools.map((tool) => this.wrapToolWithPermission(tool));
  }

  /** The tool, each of whose calls is judged before it runs. */
  wrapToolWithPermission(tool: Tool): Tool {
    const { name, description, parameters } = tool;
    return {
      name,
      description,
      parameters,
      ...toolFacts(tool),
      // Output over the limit is truncated here.
      limitsOutput: true,
      ...defined({
        validate: tool.validate?.bind(tool),
        preview: tool.preview?.bind(tool),
      }),
      execute: (args, context) => this.#execute(tool, args, context),
    };
  }

  /** Decides whether a call may run, by rules, mode and people, without hooks. */
  async checkPermission(tool: Tool, args: ToolArgs, context: ToolContext): Promise<boolean> {
    return (await this.#authorize(tool, args, context)).allow;
  }

  getPermissionMode(): PermissionMode {
    return this.#state.mode;
  }

  setPermissionMode(mode: PermissionMode): void {
    requirePermissionMode(mode);
    this.#state.mode = mode;
  }

  /** Patterns that answers allowed for as long as this object is used. */
  getSessionAllowedTools(): string[] {
    return this.#state.grants.map(({ pattern }) => pattern);
  }

  async clearSessionAllowedTools(): Promise<void> {
    for (const pattern of new Set(this.getSessionAllowedTools()))
      await this.#approvals.revoke(pattern);
  }

  async #execute(tool: Tool, args: ToolArgs, context: ToolContext): Promise<ToolResult> {
    let ranWith: ToolArgs | undefined;
    let result: ToolResult;
    let denied = false;
    try {
      const judged = await this.#judge(tool, args, context);
      denied = !judged.allow;
      if (judged.allow) {
        ranWith = judged.args;
        this.#report({ type: "start", phase: "start", toolName: tool.name, toolArgs: ranWith });
        result = await withinBounds(await resultOf(tool, ranWith, context), context);
        result = await this.#heard(tool, ranWith, result, context);
      } else {
        result = failure(judged.content, judged.errorCode);
      }
    } catch (error) {
      if (isAbortError(error)) throw error;
      result = failure(errorMessage(error), "tool_failed");
    }
    const { success, errorCode, output } = result;
    const text = typeof output === "string" ? output : JSON.stringify(output);
    this.#report({
      type: "end",
      phase: "end",
      toolName: tool.name,
      toolArgs: ranWith ?? args,
      success,
      ...defined({ denied, reason: denied ? text : undefined, errorCode }),
      toolResultData: text,
    });
    return result;
  }

  async #judge(
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
  ): Promise<Awaited<ReturnType<Approvals["authorize"]>>> {
    const { signal, toolCallId: tool_use_id } = context;
    const fields = { tool_name: tool.name, tool_input: args, tool_use_id };
    const said = await this.#hooks.run("PreToolUse", fields, { signal });
    if (said.blocked || said.permissionDecision === "deny") {
      const content = `Blocked by hook: ${said.reason ?? said.permissionDecisionReason ?? ""}`;
      return { allow: false, content, errorCode: "hook_blocked" };
    }
    const { permissionDecision: decision } = said;
    const hint = decision && { decision, by: "PreToolUse" };
    if (!said.updatedInput) return this.#authorize(tool, args, context, hint);
    const valid = await validateArgs(tool, said.updatedInput);
    if (valid.ok) return this.#authorize(tool, valid.args, context, hint);
    const content = invalidArgumentsText(tool, valid.problems);
    return { allow: false, content, errorCode: "invalid_arguments" };
  }

  #authorize(
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
    hint?: PermissionHint,
  ): ReturnType<Approvals["authorize"]> {
    const call = { id: context.toolCallId, name: tool.name, args };
    return this.#approvals.authorize(call, tool, args, context, hint);
  }

  /** Applies the hooks to a result. */
  async #heard(
    { name: tool_name }: Tool,
    tool_input: ToolArgs,
    result: ToolResult,
    { toolCallId: tool_use_id }: ToolContext,
  ): Promise<ToolResult> {
    const used = { tool_name, tool_input, tool_use_id };
    const { success, output } = result;
    const text = typeof output === "string" ? output : JSON.stringify(output);
    const said = success
      ? await this.#hooks.run("PostToolUse", { ...used, tool_response: text })
      : await this.#hooks.run("PostToolUseFailure", { ...used, error: result.error ?? text });
    const shown = said.updatedToolOutput === undefined ? output : textOf(said.updatedToolOutput);
    const added = [
      ...(said.additionalContext ? [said.additionalContext] : []),
      ...(said.blocked ? [`A hook objects: ${said.reason ?? ""}`] : []),
    ];
    if (shown === output && added.length === 0) return result;
    const before = typeof shown === "string" ? shown : JSON.stringify(shown);
    return { ...result, output: [before, ...added].join("\n\n") };
  }

  #report(execution: ToolExecution): void {
    callSafely(() => this.#options.onToolExecution?.(execution));
  }
}

function promptingHandler({
  promptForApproval,
  terminal = SILENT_TERMINAL,
}: PermissionEnforcerOptions): PermissionHandler | undefined {
  if (!promptForApproval) return undefined;
  return (tool, args, request) => promptForApproval(terminal, tool, args, request);
}

async function resultOf(tool: Tool, args: ToolArgs, context: ToolContext): Promise<ToolResult> {
  const result = await tool.execute(args, context);
  return typeof result === "string" ? { success: true, output: result } : result;
}

async function withinBounds(result: ToolResult, context: ToolContext): Promise<ToolResult> {
  if (typeof result.output !== "string") return result;
  return { ...result, output: (await boundOutput(result.output, context)).text };
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function failure(output: string, errorCode: ToolErrorCode): ToolResult {
  return { success: false, output, error: output, errorCode };
}
