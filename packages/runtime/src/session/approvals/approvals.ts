import { defined } from "../../defined.ts";
import type { Authorization } from "../../agent/tool-batch.ts";
import { callSafely, SessionError } from "../../errors.ts";
import { loadOnce } from "../../load-once.ts";
import type { ToolArgs, ToolCall } from "../../messages/message.ts";
import type { PermissionExplanation } from "../../permissions/evaluate.ts";
import { frozenArgs } from "../../permissions/frozen.ts";
import type { PermissionResult } from "../../permissions/permission.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type {
  PermissionDecisionRecord,
  PermissionRequest,
  SessionEventBody,
} from "../log/events.ts";
import type { PermissionHint } from "./hook-hint.ts";
import type { ApprovalOptions } from "./options.ts";
import type { ApprovalRequests } from "./requests.ts";
import { RuleEvaluator } from "./evaluator.ts";

export type { PermissionHandler, RequestHook } from "./answers.ts";
export type { PermissionHint } from "./hook-hint.ts";
export type { PermissionEvaluator, ApprovalOptions, GrantStore } from "./options.ts";

/** Judges calls between the model and the tool: rules, the mode, grants, and a person's answer, each recorded. */
export class Approvals {
  readonly #options: ApprovalOptions;
  readonly rules: RuleEvaluator;
  /** Loaded with the first question: many sessions ask none. */
  readonly #requests: () => Promise<ApprovalRequests>;

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.rules = new RuleEvaluator(options);
    this.#requests = loadOnce(async () => {
      const { ApprovalRequests } = await import("./requests.ts");
      return new ApprovalRequests(options, this.rules);
    });
  }

  /**
   * Decides whether a call may run. Waits for an answer if needed; an abort denies. A hook's `allow` only replaces the
   * question that the mode would ask. An allowed call carries a frozen copy of the judged arguments.
   */
  async authorize(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
    hint?: PermissionHint,
  ): Promise<Authorization> {
    const wanted = frozenArgs(args);
    await this.rules.load();
    const recorded = this.#options.state.decisions.get(call.id);
    if (recorded) return this.#carryOut(call, recorded, tool, wanted, context);
    const explained = await this.rules.explainOnFiles(tool, wanted, context);
    const decision = hint ? (await import("./hook-hint.ts")).withHint(explained, hint) : explained;
    this.rules.remember(call, tool, explained.paths);
    if (decision.decision !== "approve")
      return this.#decideAlone(call, tool, wanted, decision, hint);
    const requests = await this.#requests();
    const answer = await requests.ask(call, tool, wanted, decision, context);
    return this.#carryOut(call, answer, tool, wanted, context, explained.paths);
  }

  /** Loads what asks and answers, so that an answer takes effect at once. */
  async prepare(): Promise<void> {
    await this.#requests();
  }

  /** A person's answer. @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND` @throws {ValidationError} for a wrong pattern */
  async resolve(requestId: string, answer: PermissionResult): Promise<void> {
    await (await this.#requests()).resolve(requestId, answer);
  }

  /** Forwards a subagent's request to this session's handler. */
  async relay(
    asked: PermissionRequest,
    agent: NonNullable<PermissionRequest["agent"]>,
    signal: AbortSignal,
  ): Promise<PermissionDecisionRecord> {
    return (await this.#requests()).relay(asked, agent, signal);
  }

  /** Takes a rule back that an answer had added, in this session and in its workspace. */
  async revoke(pattern: string): Promise<void> {
    await this.rules.forget(pattern);
    await this.#options.log.commit({ type: "permission_revoked", pattern });
  }

  /** A decision without a question, on record before anything follows from it. */
  #decideAlone(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    explained: PermissionExplanation & { byHook?: boolean },
    hint: PermissionHint | undefined,
  ): Authorization {
    const { decision, step, rule, layer, command, reason } = explained;
    if (decision === "approve") throw new SessionError("NOT_FOUND", "A question is not a decision");
    const event: SessionEventBody = defined({
      type: "permission_auto",
      toolCallId: call.id,
      tool: tool.name,
      decision,
      step,
      by: explained.byHook ? "hook" : rule === undefined ? "mode" : "rule",
      rule,
      layer,
      command,
      hook: explained.byHook && hint ? hint.by : undefined,
      reason,
    });
    // With the call's start or end, which is durable before it has any effect: it is stored and refused as that is.
    this.#options.log.commitWithNext(event).catch(() => undefined);
    return decision === "auto" ? { allow: true, args } : this.#denied(call, reason);
  }

  #denied(call: ToolCall, reason: string): Authorization {
    callSafely(() => this.#options.onDenied?.(call, reason));
    const because = reason === "" ? "" : ` Reason: ${reason}`;
    return {
      allow: false,
      content: `Permission denied. The call was not run.${because}`,
      errorCode: "permission_denied",
    };
  }

  /**
   * The approved call is exactly the one that runs; changed arguments, and paths with new targets, are judged again.
   */
  async #carryOut(
    call: ToolCall,
    decision: PermissionDecisionRecord,
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
    paths?: readonly string[],
  ): Promise<Authorization> {
    if (!decision.allow) {
      return decision.by === "abort"
        ? { allow: false, content: "Aborted before it ran.", errorCode: "aborted" }
        : this.#denied(call, decision.reason ?? "");
    }
    let approved = args;
    if (decision.updatedArgs) {
      const { invalidArgumentsText, validateArgs } = await import("../../tools/validate-args.ts");
      const valid = await validateArgs(tool, decision.updatedArgs);
      if (!valid.ok) return this.#denied(call, invalidArgumentsText(tool, valid.problems));
      approved = frozenArgs(valid.args);
    }
    const explained = await this.rules.explainOnFiles(tool, approved, context);
    this.rules.remember(call, tool, explained.paths);
    if (explained.decision === "deny") return this.#denied(call, explained.reason);
    if (paths && !decision.updatedArgs && explained.paths.join("\0") !== paths.join("\0"))
      return this.#denied(call, "A path of it leads elsewhere than when it was approved.");
    return { allow: true, args: approved, note: decision.reason };
  }
}
