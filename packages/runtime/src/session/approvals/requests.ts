import { defined } from "../../defined.ts";
import { SessionError } from "../../errors.ts";
import type { ToolArgs, ToolCall } from "../../messages/message.ts";
import type { ExplainedOnFiles } from "../../permissions/paths/explain-on-files.ts";
import type { PermissionResult } from "../../permissions/permission.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { PermissionDecisionRecord, PermissionRequest } from "../log/events.ts";
import { callHandler, once, recordOf, withPattern } from "./answers.ts";
import type { ApprovalOptions } from "./options.ts";
import type { RuleEvaluator } from "./evaluator.ts";

type Settle = (decision: PermissionDecisionRecord) => void;

/** The permission requests of a session, each recorded; the first answer counts. */
export class ApprovalRequests {
  readonly #options: ApprovalOptions;
  readonly #rules: RuleEvaluator;
  #waiting: Map<string, Settle> | undefined;
  /** Requests whose answer is being recorded. */
  #deciding: Set<string> | undefined;

  constructor(options: ApprovalOptions, rules: RuleEvaluator) {
    this.#options = options;
    this.#rules = rules;
  }

  /** Asks about a call, or waits for the question that was asked already, and resolves to the answer on record. */
  async ask(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    explained: ExplainedOnFiles,
    context: ToolContext,
  ): Promise<PermissionDecisionRecord> {
    const asked = this.#requestFor(call.id, args);
    const request = asked ?? (await this.#ask(call, tool, args, explained, context));
    return this.#answerTo(request, context.signal, () => this.#askHook(request, tool, context));
  }

  /** Puts a question of a subagent, which asked its hooks itself, and resolves to the answer on record. */
  async relay(
    asked: PermissionRequest,
    agent: NonNullable<PermissionRequest["agent"]>,
    signal: AbortSignal,
  ): Promise<PermissionDecisionRecord> {
    const { randomUUID, log } = this.#options;
    const toolCallId = `${agent.toolCallId}/${asked.toolCallId}`;
    const request = { ...asked, id: randomUUID(), toolCallId, agent };
    await log.commit({ type: "permission_request", parentId: agent.toolCallId, request });
    return this.#answerTo(request, signal, async () => undefined);
  }

  /** A person's answer. @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND` @throws {ValidationError} for a wrong answer or pattern */
  async resolve(requestId: string, answer: PermissionResult): Promise<void> {
    await this.#record(requestId, recordOf(answer, "person"));
  }

  /** A model may reuse a call id: the arguments must be the same. */
  #requestFor(toolCallId: string, args: ToolArgs): PermissionRequest | undefined {
    for (const request of this.#options.state.pendingRequests.values()) {
      if (
        request.toolCallId === toolCallId &&
        JSON.stringify(request.args) === JSON.stringify(args)
      )
        return request;
    }
    return undefined;
  }

  async #ask(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    explained: ExplainedOnFiles,
    context: ToolContext,
  ): Promise<PermissionRequest> {
    const aborted = once(context.signal);
    const preview = await Promise.race([
      previewOf(tool, args, context),
      aborted.then(() => undefined),
    ]).finally(() => aborted.cancel());
    const suggestedPattern = await this.#rules.suggestion(tool, args, context);
    const { reason, rule, layer, command, paths } = explained;
    const request: PermissionRequest = defined({
      id: this.#options.randomUUID(),
      toolCallId: call.id,
      tool: tool.name,
      args,
      reason,
      rule,
      layer,
      command,
      paths: paths.length === 0 ? undefined : paths,
      suggestedPattern,
      preview,
    });
    await this.#options.log.commit({ type: "permission_request", request });
    return request;
  }

  async #record(requestId: string, decision: PermissionDecisionRecord): Promise<void> {
    const { state, log } = this.#options;
    const request = state.pendingRequests.get(requestId);
    if (!request || this.#deciding?.has(requestId)) {
      const isAnswered = request !== undefined || state.answeredRequests.has(requestId);
      throw isAnswered
        ? new SessionError("ALREADY_ANSWERED", `The request ${requestId} was answered before`)
        : new SessionError("NOT_FOUND", `There is no request ${requestId}`);
    }
    const { toolCallId } = request;
    const stored = withPattern(decision, request);
    (this.#deciding ??= new Set()).add(requestId);
    try {
      const parent = request.agent ? { parentId: request.agent.toolCallId } : {};
      await log.commit({
        type: "permission_decision",
        ...parent,
        requestId,
        toolCallId,
        decision: stored,
      });
      await this.#keep(stored);
    } finally {
      this.#deciding?.delete(requestId);
    }
    this.#waiting?.get(requestId)?.(stored);
    this.#waiting?.delete(requestId);
  }

  /** Keeps a rule for the workspace. When that fails, it still holds in this session. */
  async #keep({ allow, scope, pattern }: PermissionDecisionRecord): Promise<void> {
    const { log } = this.#options;
    if (!allow || scope !== "workspace" || pattern === undefined) return;
    try {
      await this.#rules.keep(pattern);
    } catch {
      log.stream({ type: "note", kind: "grant-not-kept", data: { pattern } });
    }
  }

  async #answerTo(
    request: PermissionRequest,
    signal: AbortSignal,
    askHook: () => Promise<PermissionDecisionRecord | undefined>,
  ): Promise<PermissionDecisionRecord> {
    const answer = new Promise<PermissionDecisionRecord>((resolve) =>
      (this.#waiting ??= new Map()).set(request.id, resolve),
    );
    const decide = (decision: PermissionDecisionRecord): Promise<void> =>
      this.#record(request.id, decision).catch((error: unknown) => {
        // Another answer came first, which is fine.
        if (!(error instanceof SessionError)) throw error;
      });
    const { handler, unanswered, attendance } = this.#options;
    const aborted = once(signal);
    try {
      const byHook = await Promise.race([askHook(), answer, aborted.then(() => undefined)]);
      if (signal.aborted) {
        // The answer to an abort follows below.
      } else if (byHook) {
        await decide(byHook);
      } else if (handler) {
        const result = await Promise.race([
          callHandler(handler, request),
          aborted.then(() => undefined),
        ]);
        if (result) await decide(result);
      } else if (unanswered === "deny") {
        await decide({ allow: false, by: "default", reason: "Nobody is available to approve it." });
      } else {
        attendance?.waits(request);
      }
      const first = await Promise.race([answer, aborted.then(() => "aborted" as const)]);
      if (first !== "aborted") return first;
      await decide({ allow: false, by: "abort", reason: "The turn was stopped." });
      return await answer;
    } finally {
      aborted.cancel();
      this.#waiting?.delete(request.id);
    }
  }

  /** A hook may deny anything, and allow what only the mode asks about. */
  async #askHook(
    request: PermissionRequest,
    tool: Tool,
    context: ToolContext,
  ): Promise<PermissionDecisionRecord | undefined> {
    let decision: PermissionDecisionRecord;
    try {
      const answer = await this.#options.onRequest?.(request, context.signal);
      if (answer === undefined) return undefined;
      decision = recordOf(answer, "hook");
      if (!decision.allow)
        return { ...decision, ...defined({ interrupt: answer.interrupt || undefined }) };
    } catch {
      return undefined;
    }
    for (const args of [request.args, ...(decision.updatedArgs ? [decision.updatedArgs] : [])]) {
      const { decision: then, step } = await this.#rules.explainOnFiles(tool, args, context);
      if (then === "deny" || (then === "approve" && step !== "mode")) return undefined;
    }
    return decision;
  }
}

async function previewOf(
  tool: Tool,
  args: ToolArgs,
  context: ToolContext,
): Promise<PermissionRequest["preview"]> {
  try {
    return await tool.preview?.(args, context);
  } catch {
    // An unpreviewable change is requested without a preview; running it reports the error.
    return undefined;
  }
}
