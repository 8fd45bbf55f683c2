import type { Authorization } from "../agent/tool-batch.ts";
import { callSafely, SessionError } from "../errors.ts";
import type { ToolArgs, ToolCall } from "../messages/message.ts";
import type { PermissionContext } from "../permissions/call.ts";
import type { PermissionExplanation } from "../permissions/evaluate.ts";
import type { ExplainedOnFiles } from "../permissions/explain-on-files.ts";
import { frozenArgs } from "../permissions/frozen.ts";
import type { PermissionAnswer, PermissionLists } from "../permissions/permission.ts";
import { rulesOnDemand } from "../permissions/rules-on-demand.ts";
import type { AccessRules } from "../ports/access.ts";
import { invalidArgumentsText, validateArgs } from "../tools/validate-args.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { PermissionDecisionRecord, PermissionRequest, SessionEventBody } from "./events.ts";
import {
  callHandler,
  once,
  type PermissionHandler,
  recordOf,
  type RequestHook,
  withPattern,
} from "./gate-answers.ts";
import { type PermissionHint, withHint } from "./gate-hint.ts";
import { GateEngine } from "./gate-engine.ts";
import type { SessionLog } from "./log.ts";
import type { SessionState } from "./state.ts";

export type { PermissionHandler, RequestHook } from "./gate-answers.ts";
export type { PermissionHint } from "./gate-hint.ts";

/** Where the rules are kept that people allow for a whole workspace. */
export interface GrantStore {
  load(): Promise<readonly string[]>;
  save(rule: string): Promise<void>;
  remove(rule: string): Promise<void>;
}

/** What says of a call what the rules, the mode and the files said when it was made. */
export interface GateJudge {
  explain(tool: AskedTool, args: ToolArgs, context: ToolContext): Promise<ExplainedOnFiles>;
  /** The pattern that was suggested with the request. */
  suggest(context: ToolContext): string | undefined;
}

export interface GateOptions {
  log: SessionLog;
  state: SessionState;
  lists: PermissionLists;
  handler?: PermissionHandler | undefined;
  /** What happens to a request that no handler answers. */
  unanswered: "wait" | "deny";
  randomUUID: () => string;
  /** The directories of the workspace, absolute; the session's working directory when omitted. */
  roots?: readonly string[];
  /** What `~` stands for where no tool's context says it. */
  home?: string;
  /** Whether commands that only look at the workspace run without asking. True when omitted. */
  readOnlyCommands?: boolean;
  /** Whether, once something from the network was read, reaching out and looking outside ask again. */
  guardUntrustedReads?: boolean;
  grants?: GrantStore;
  /** Instead of the rules and the files, when a record is gone through again. */
  judge?: GateJudge;
  /** Asked before the handler and any person. */
  onRequest?: RequestHook;
  /** Told of every call that was not allowed. What it throws is its own. */
  onDenied?(call: ToolCall, reason: string): void;
}

/** Far more calls than run at once. */
const MAX_JUDGED = 500;

type Settle = (decision: PermissionDecisionRecord) => void;
type AskedTool = Pick<Tool, "name" | "access" | "patternArgument">;

/** Stands between the model's wish and the tool: rules, the mode, grants, and a person's answer, each on record. */
export class PermissionGate {
  readonly #options: GateOptions;
  readonly #waiting = new Map<string, Settle>();
  /** Requests whose answer is being recorded. */
  readonly #deciding = new Set<string>();
  /** Rules that hold for the workspace, once they were loaded. */
  #workspaceRules: Promise<Set<string>> | undefined;
  #loadedRules: ReadonlySet<string> = new Set();
  readonly #engine: GateEngine;
  /** How much of the history was looked through for what came from the network. */
  #seenEntries = 0;
  #isUntrusted = false;

  /** By call: the paths it names, as they were judged. */
  readonly #judgedPaths = new Map<string, readonly string[]>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#engine = new GateEngine(options.lists, options.readOnlyCommands ?? true);
  }

  /**
   * Whether a call may run. Waits for an answer when one is needed; an abort denies. A hook's `allow` saves no more
   * than the question that the mode would ask. What is allowed is a frozen copy of the arguments that were looked at.
   */
  async authorize(
    call: ToolCall,
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
    hint?: PermissionHint,
  ): Promise<Authorization> {
    const wanted = frozenArgs(args);
    await this.load();
    const recorded = this.#options.state.decisions.get(call.id);
    if (recorded) return this.#carryOut(call, recorded, tool, wanted, context);
    const explained = await this.explainOnFiles(tool, wanted, context);
    const decision = withHint(explained, hint);
    this.#remember(call, explained.paths);
    if (decision.decision !== "approve")
      return this.#decideAlone(call, tool, wanted, decision, hint);
    const request =
      this.#requestFor(call.id, wanted) ?? (await this.#ask(call, tool, wanted, decision, context));
    const answer = await this.#answerTo(request, tool, context);
    return this.#carryOut(call, answer, tool, wanted, context, explained.paths);
  }

  /** A person's answer. @throws {SessionError} `ALREADY_ANSWERED`, `NOT_FOUND` @throws {ValidationError} for a wrong pattern */
  async resolve(requestId: string, answer: PermissionAnswer): Promise<void> {
    await this.#record(requestId, { ...answer, allow: answer.allow === true, by: "person" });
  }

  /** Takes a rule back that an answer had added, in this session and in its workspace. */
  async revoke(pattern: string): Promise<void> {
    const { log, grants } = this.#options;
    await grants?.remove(pattern);
    (await this.#workspace()).delete(pattern);
    await log.commit({ type: "permission_revoked", pattern });
  }

  /** What would happen to a call now, and why, going by the text of its paths. @throws {SessionError} `CLOSED` before `load` */
  explain(tool: AskedTool, args: ToolArgs): PermissionExplanation {
    const { mode } = this.#options.state;
    const { explainPermission } = this.#engine.loaded;
    return explainPermission(tool.name, args, mode, this.#lists(), this.#contextFor(tool));
  }

  /** Loads all that decisions need, the rules of the workspace too. */
  async prepare(): Promise<void> {
    await Promise.all([this.load(), this.#workspace()]);
  }

  /** Loads what judges calls. @throws {ValidationError} when a rule does not do what its examples say */
  async load(): Promise<void> {
    await this.#engine.load();
  }

  /** The same, with paths followed to where they lead. */
  async explainOnFiles(
    tool: AskedTool,
    args: ToolArgs,
    context: ToolContext,
  ): Promise<ExplainedOnFiles> {
    const { judge } = this.#options;
    if (judge) return judge.explain(tool, args, context);
    await this.prepare();
    const { mode } = this.#options.state;
    const { fs } = context.platform;
    return this.#engine.loaded.explainOnFiles(
      fs,
      tool.name,
      args,
      mode,
      this.#lists(),
      this.#contextFor(tool, context),
    );
  }

  /** The rules for single files and commands, for the tool that a call runs. */
  accessRules(call: ToolCall, context: Pick<ToolContext, "platform">): AccessRules {
    const { state, roots } = this.#options;
    const options = {
      lists: this.#lists(),
      cwd: state.cwd,
      home: context.platform.home,
      ...(roots ? { roots } : {}),
      named: this.#judgedPaths.get(call.id) ?? [],
      isApproved: state.decisions.get(call.id)?.allow === true,
    };
    return rulesOnDemand(() => this.#engine.loaded.accessRules(options));
  }

  #lists(): PermissionLists {
    const { lists, state } = this.#options;
    const granted = (name: string, allow: readonly string[]) => ({ name, lists: { allow } });
    return {
      ...lists,
      layers: [
        ...(lists.layers ?? []),
        granted(
          "session",
          state.grants.map(({ pattern }) => pattern),
        ),
        granted("workspace", [...this.#loadedRules]),
      ],
    };
  }

  #contextFor(tool: AskedTool, context?: ToolContext): PermissionContext {
    const { state, roots, home, guardUntrustedReads = false } = this.#options;
    const where = context?.platform.home ?? home;
    const { looksOnly } = this.#engine;
    const directory = tool.name === "Bash" ? context?.state.get("bashDirectory") : undefined;
    const outputs = context?.state.get("outputDirectory");
    return {
      cwd: state.cwd,
      roots: roots ?? [state.cwd],
      ...(looksOnly ? { looksOnly } : {}),
      ...(typeof directory === "string" ? { directory } : {}),
      ...(typeof outputs === "string" ? { readableRoots: [outputs] } : {}),
      ...(where === undefined ? {} : { home: where }),
      ...(guardUntrustedReads && this.#hasUntrusted() ? { untrusted: true } : {}),
      ...(tool.access ? { access: tool.access } : {}),
      ...patternContext(tool),
    };
  }

  #workspace(): Promise<Set<string>> {
    const { grants } = this.#options;
    this.#workspaceRules ??= (grants ? grants.load() : Promise.resolve([])).then((rules) => {
      const found = new Set(rules);
      this.#loadedRules = found;
      return found;
    });
    return this.#workspaceRules;
  }

  /** Whether a tool has brought something from the network into the session. */
  #hasUntrusted(): boolean {
    const { history } = this.#options.state;
    for (; !this.#isUntrusted && this.#seenEntries < history.length; this.#seenEntries++) {
      const data: unknown = history[this.#seenEntries]?.data;
      const name = typeof data === "object" && data !== null && "name" in data ? data.name : "";
      this.#isUntrusted = typeof name === "string" && /^(?:WebFetch|WebSearch|mcp__.*)$/.test(name);
    }
    return this.#isUntrusted;
  }

  #remember({ id, name }: ToolCall, paths: readonly string[]): void {
    // A search names where it begins, and not what it may show.
    if (name === "Glob" || name === "Grep") return;
    if (this.#judgedPaths.size >= MAX_JUDGED) this.#judgedPaths.clear();
    this.#judgedPaths.set(id, paths);
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
    if (decision === "approve") throw new SessionError("NOT_FOUND", "A question is no decision");
    const event: SessionEventBody = {
      type: "permission_auto",
      toolCallId: call.id,
      tool: tool.name,
      decision,
      step,
      by: explained.byHook ? "hook" : rule === undefined ? "mode" : "rule",
      ...(rule === undefined ? {} : { rule }),
      ...(layer === undefined ? {} : { layer }),
      ...(command === undefined ? {} : { command }),
      ...(explained.byHook && hint ? { hook: hint.by } : {}),
      reason,
    };
    // Stored together with the call's start or end, which is durable before anybody acts on it.
    this.#options.log.stream(event);
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

  /** A model may use the id of a call again: what was asked for has to be the same. */
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
    const suggestedPattern = await this.#suggestion(tool, args, context);
    const { reason, rule, layer, command, paths } = explained;
    const request: PermissionRequest = {
      id: this.#options.randomUUID(),
      toolCallId: call.id,
      tool: tool.name,
      args,
      reason,
      ...(rule === undefined ? {} : { rule }),
      ...(layer === undefined ? {} : { layer }),
      ...(command === undefined ? {} : { command }),
      ...(paths.length === 0 ? {} : { paths }),
      ...(suggestedPattern === undefined ? {} : { suggestedPattern }),
      ...(preview === undefined ? {} : { preview }),
    };
    await this.#options.log.commit({ type: "permission_request", request });
    return request;
  }

  /** The narrow rule for a call, when that rule would let it through. */
  async #suggestion(tool: Tool, args: ToolArgs, context: ToolContext): Promise<string | undefined> {
    const { judge } = this.#options;
    if (judge) return judge.suggest(context);
    const { suggestPattern, explainOnFiles } = await this.#engine.load();
    const pattern = suggestPattern(tool.name, args, patternContext(tool));
    if (pattern === undefined) return undefined;
    const lists = this.#lists();
    const layers = [...(lists.layers ?? []), { name: "session", lists: { allow: [pattern] } }];
    const { mode } = this.#options.state;
    const where = this.#contextFor(tool, context);
    const { fs } = context.platform;
    const then = await explainOnFiles(fs, tool.name, args, mode, { ...lists, layers }, where);
    return then.decision === "auto" ? pattern : undefined;
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
      await this.#keep(stored);
    } finally {
      this.#deciding.delete(requestId);
    }
    this.#waiting.get(requestId)?.(stored);
    this.#waiting.delete(requestId);
  }

  /** Keeps a rule for the workspace. When that fails, it still holds in this session. */
  async #keep({ allow, scope, pattern }: PermissionDecisionRecord): Promise<void> {
    const { grants, log } = this.#options;
    if (!allow || scope !== "workspace" || pattern === undefined || !grants) return;
    (await this.#workspace()).add(pattern);
    try {
      await grants.save(pattern);
    } catch {
      log.stream({ type: "note", kind: "grant-not-kept", data: { pattern } });
    }
  }

  async #answerTo(
    request: PermissionRequest,
    tool: Tool,
    context: ToolContext,
  ): Promise<PermissionDecisionRecord> {
    const { signal } = context;
    const answer = new Promise<PermissionDecisionRecord>((resolve) =>
      this.#waiting.set(request.id, resolve),
    );
    const decide = (decision: PermissionDecisionRecord): Promise<void> =>
      this.#record(request.id, decision).catch((error: unknown) => {
        // Somebody else answered first, which is as good.
        if (!(error instanceof SessionError)) throw error;
      });
    const { handler, unanswered } = this.#options;
    const aborted = once(signal);
    try {
      const byHook = await Promise.race([
        this.#askHook(request, tool, context),
        answer,
        aborted.then(() => undefined),
      ]);
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

  /** A hook may refuse anything, and allow what only the mode asks about. */
  async #askHook(
    request: PermissionRequest,
    tool: Tool,
    context: ToolContext,
  ): Promise<PermissionDecisionRecord | undefined> {
    const { onRequest } = this.#options;
    if (!onRequest) return undefined;
    let answer: PermissionAnswer | undefined;
    try {
      answer = await onRequest(request, context.signal);
    } catch {
      return undefined;
    }
    if (answer === undefined) return undefined;
    const decision = recordOf(answer, "hook");
    if (!decision.allow) return decision;
    for (const args of [request.args, ...(decision.updatedArgs ? [decision.updatedArgs] : [])]) {
      const { decision: then, step } = await this.explainOnFiles(tool, args, context);
      if (then === "deny" || (then === "approve" && step !== "mode")) return undefined;
    }
    return decision;
  }

  /** What was approved is exactly what runs; changed arguments, and paths that lead elsewhere now, meet the rules again. */
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
      const valid = await validateArgs(tool, decision.updatedArgs);
      if (!valid.ok) return this.#denied(call, invalidArgumentsText(tool, valid.problems));
      approved = frozenArgs(valid.args);
    }
    const explained = await this.explainOnFiles(tool, approved, context);
    this.#remember(call, explained.paths);
    if (explained.decision === "deny") return this.#denied(call, explained.reason);
    if (paths && !decision.updatedArgs && explained.paths.join("\0") !== paths.join("\0"))
      return this.#denied(call, "A path of it leads elsewhere than when it was approved.");
    return { allow: true, args: approved, ...(decision.reason ? { note: decision.reason } : {}) };
  }
}

function patternContext({ patternArgument }: Pick<Tool, "patternArgument">): {
  patternArgument?: string;
} {
  return patternArgument === undefined ? {} : { patternArgument };
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
