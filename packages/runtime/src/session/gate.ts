import type { Authorization } from "../agent/tool-batch.ts";
import { SessionError } from "../errors.ts";
import type { ToolArgs, ToolCall } from "../messages/message.ts";
import {
  evaluatePermission,
  explainPermission,
  type PermissionExplanation,
  suggestPattern,
} from "../permissions/evaluate.ts";
import type {
  PermissionAnswer,
  PermissionLists,
  PermissionResult,
} from "../permissions/permission.ts";
import { invalidArgumentsText, validateArgs } from "../tools/validate-args.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { PermissionDecisionRecord, PermissionRequest } from "./events.ts";
import type { SessionLog } from "./log.ts";
import type { SessionState } from "./state.ts";

/**
 * A program's answer to a call that needs approval. `'allow-session'` stores the narrow rule that covers this call.
 * A handler that throws denies.
 */
export type PermissionHandler = (
  tool: string,
  args: ToolArgs,
  request: PermissionRequest,
) => Promise<PermissionResult> | PermissionResult;

export interface GateOptions {
  log: SessionLog;
  state: SessionState;
  lists: PermissionLists;
  handler?: PermissionHandler | undefined;
  /** What happens to a request that no handler answers. */
  unanswered: "wait" | "deny";
  randomUUID: () => string;
}

type Settle = (decision: PermissionDecisionRecord) => void;

/** Stands between the model's wish and the tool: rules, the mode, grants, and a person's answer, each on record. */
export class PermissionGate {
  readonly #options: GateOptions;
  readonly #waiting = new Map<string, Settle>();
  /** Requests whose answer is being recorded. */
  readonly #deciding = new Set<string>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Whether a call may run. Waits for an answer when one is needed; an abort denies. */
  async authorize(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
  ): Promise<Authorization> {
    const { state } = this.#options;
    const recorded = state.decisions.get(call.id);
    if (recorded) return this.#carryOut(recorded, tool, args);
    const explained = this.explain(tool, args);
    if (explained.decision === "deny") return denied(explained.reason);
    if (explained.decision === "auto") return { allow: true, args };
    const request =
      this.#requestFor(call.id) ?? (await this.#ask(call, tool, args, explained.reason, context));
    return this.#carryOut(await this.#answerTo(request, context.signal), tool, args);
  }

  /** A person's answer. @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND` */
  async resolve(requestId: string, answer: PermissionAnswer): Promise<void> {
    // Whatever a client sent, only `true` allows.
    await this.#record(requestId, { ...answer, allow: answer.allow === true, by: "person" });
  }

  async #record(requestId: string, decision: PermissionDecisionRecord): Promise<void> {
    const { state, log } = this.#options;
    const request = state.pendingRequests.get(requestId);
    if (!request || this.#deciding.has(requestId)) {
      const isAnswered = request !== undefined || state.answeredRequests.has(requestId);
      throw isAnswered
        ? new SessionError("ALREADY_ANSWERED", `The request ${requestId} was answered before`)
        : new SessionError("NOT_FOUND", `There is no request ${requestId}`);
    }
    const { toolCallId } = request;
    const stored = withPattern(decision, request);
    this.#deciding.add(requestId);
    try {
      await log.commit({ type: "permission_decision", requestId, toolCallId, decision: stored });
    } finally {
      this.#deciding.delete(requestId);
    }
    this.#waiting.get(requestId)?.(stored);
    this.#waiting.delete(requestId);
  }

  /** What would happen to a call now, and why. */
  explain(
    tool: Pick<Tool, "name" | "access" | "patternArgument">,
    args: ToolArgs,
  ): PermissionExplanation {
    const { lists, state } = this.#options;
    const allow = [...(lists.allow ?? []), ...state.grants.map(({ pattern }) => pattern)];
    const context = {
      cwd: state.cwd,
      ...(tool.access ? { access: tool.access } : {}),
      ...patternContext(tool),
    };
    const explained = explainPermission(tool.name, args, state.mode, { ...lists, allow }, context);
    // No rule and no answer opens a change in plan mode.
    const isForbidden =
      state.mode === "plan" && evaluatePermission(tool.name, args, "plan", {}, context) === "deny";
    return isForbidden
      ? { decision: "deny", step: "mode", reason: "The mode plan forbids changes." }
      : explained;
  }

  #requestFor(toolCallId: string): PermissionRequest | undefined {
    for (const request of this.#options.state.pendingRequests.values()) {
      if (request.toolCallId === toolCallId) return request;
    }
    return undefined;
  }

  async #ask(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    reason: string,
    context: ToolContext,
  ): Promise<PermissionRequest> {
    const aborted = once(context.signal, "abort");
    const preview = await Promise.race([
      previewOf(tool, args, context),
      aborted.then(() => undefined),
    ]).finally(() => aborted.cancel());
    const suggestedPattern = suggestPattern(tool.name, args, patternContext(tool));
    const request: PermissionRequest = {
      id: this.#options.randomUUID(),
      toolCallId: call.id,
      tool: tool.name,
      args,
      reason,
      ...(suggestedPattern === undefined ? {} : { suggestedPattern }),
      ...(preview === undefined ? {} : { preview }),
    };
    await this.#options.log.commit({ type: "permission_request", request });
    return request;
  }

  async #answerTo(
    request: PermissionRequest,
    signal: AbortSignal,
  ): Promise<PermissionDecisionRecord> {
    const answer = new Promise<PermissionDecisionRecord>((resolve) =>
      this.#waiting.set(request.id, resolve),
    );
    const decide = (decision: PermissionDecisionRecord): Promise<void> =>
      this.#record(request.id, decision).catch((error: unknown) => {
        // Somebody else answered first, which is as good.
        if (!(error instanceof SessionError)) throw error;
      });
    const { handler, unanswered } = this.#options;
    const aborted = once(signal, "abort");
    try {
      if (handler) {
        const result = await Promise.race([
          callHandler(handler, request),
          aborted.then(() => undefined),
        ]);
        if (result) await decide(result);
      } else if (unanswered === "deny") {
        await decide({ allow: false, by: "default", reason: "Nobody is there to approve it." });
      }
      const first = await Promise.race([answer, aborted.then(() => "aborted" as const)]);
      if (first !== "aborted") return first;
      await decide({ allow: false, by: "abort", reason: "The turn was stopped." });
      return await answer;
    } finally {
      aborted.cancel();
      this.#waiting.delete(request.id);
    }
  }

  /** What was approved is exactly what runs, and a changed input meets the rules again. */
  async #carryOut(
    decision: PermissionDecisionRecord,
    tool: Tool,
    args: ToolArgs,
  ): Promise<Authorization> {
    if (!decision.allow) {
      return decision.by === "abort"
        ? { allow: false, content: "Aborted before it ran.", errorCode: "aborted" }
        : denied(decision.reason ?? "");
    }
    const note = decision.reason ? { note: decision.reason } : {};
    if (!decision.updatedArgs) return { allow: true, args, ...note };
    const valid = await validateArgs(tool, decision.updatedArgs);
    if (!valid.ok) return denied(invalidArgumentsText(tool, valid.problems));
    const explained = this.explain(tool, valid.args);
    return explained.decision === "deny"
      ? denied(explained.reason)
      : { allow: true, args: valid.args, ...note };
  }
}

function patternContext({ patternArgument }: Pick<Tool, "patternArgument">): {
  patternArgument?: string;
} {
  return patternArgument === undefined ? {} : { patternArgument };
}

function denied(reason: string): Authorization {
  const because = reason === "" ? "" : ` Reason: ${reason}`;
  return {
    allow: false,
    content: `Permission denied. The call was not run.${because}`,
    errorCode: "permission_denied",
  };
}

/** A wide scope without a pattern gets the narrow one that was suggested; without any, it lasts once. */
function withPattern(
  decision: PermissionDecisionRecord,
  request: PermissionRequest,
): PermissionDecisionRecord {
  if (!decision.allow || !decision.scope || decision.scope === "once") return decision;
  const pattern = decision.pattern ?? request.suggestedPattern;
  return pattern === undefined ? { ...decision, scope: "once" } : { ...decision, pattern };
}

async function callHandler(
  handler: PermissionHandler,
  request: PermissionRequest,
): Promise<PermissionDecisionRecord> {
  try {
    const result = await handler(request.tool, request.args, request);
    if (typeof result === "boolean") return { allow: result, by: "handler" };
    if (result === "allow-session") return { allow: true, scope: "session", by: "handler" };
    if (typeof result === "object" && result.allow === true) return { ...result, by: "handler" };
    const reason = typeof result === "object" ? result.reason : undefined;
    return { allow: false, by: "handler", ...(reason === undefined ? {} : { reason }) };
  } catch {
    // An approval is never read from a failure.
    return { allow: false, by: "handler", reason: "The permission handler failed." };
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
    // A change that can't be shown is asked for without a picture; running it will say what is wrong.
    return undefined;
  }
}

function once(signal: AbortSignal, type: "abort"): Promise<void> & { cancel(): void } {
  let cancel = (): void => {};
  const promise = new Promise<void>((resolve) => {
    const listener = (): void => resolve();
    if (signal.aborted) listener();
    else signal.addEventListener(type, listener, { once: true });
    cancel = () => signal.removeEventListener(type, listener);
  });
  return Object.assign(promise, { cancel });
}
