import type { Content, JsonObject, JsonValue, TokenUsage, ToolArgs } from "../messages/message.ts";
import type { AccessRules } from "../ports/access.ts";
import type { Platform } from "../ports/platform.ts";

/**
 * The effect of a tool on the world, by which permissions judge it, whatever its name: `read` reads files, `write`
 * changes files, `execute` runs commands, `network` fetches from other machines, `network-write` changes something on
 * them, `agent` starts another agent, `privilege` allows further calls, `none` touches nothing outside the conversation.
 * Unspecified access is treated as unknown. Results of `network`, `network-write`, `agent` and unknown access are untrusted: they may hold anybody's words.
 */
export type ToolAccess =
  | "none"
  | "read"
  | "write"
  | "execute"
  | "network"
  | "network-write"
  | "agent"
  | "privilege";

/**
 * The kind of the argument that rules are matched against: the `path` of one file, a `glob` or the text of a `search` in
 * the directory that the argument `path` names, a `command` line, the `address` of a page, the `query` for a search
 * service. Plain text when omitted.
 */
export type PatternKind = "path" | "glob" | "search" | "command" | "address" | "query";

/** Small texts by key that tools keep over the calls of one session, also when it is opened again later. */
export interface ToolMemory {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

/** A tool's question to its session's model, outside of the conversation. */
export interface ModelQuestion {
  prompt: string;
  systemMessage?: string | undefined;
  /** Maximum tokens of the answer. */
  maxTokens: number;
  /** Lets the model's service search the web for it, where it can: see `ToolContext.searchesNatively`. */
  searchesWeb?: boolean;
}

/** The answer to a question that a tool asked the model. */
export interface ModelAnswer {
  text: string;
  /** False for one that was cut, such as at `maxTokens`. */
  isWhole: boolean;
  usage?: TokenUsage;
  /** The session's own when omitted. */
  model?: string;
}

/** Accounts for a tool's own model use within its turn. */
export interface ToolSpending {
  /** Returns the reason why nothing more may be spent, on `model` if it is not the session's own; if any. */
  refusal(model?: string): Error | undefined;
  /** `model`: the one that was used; the session's own when omitted. */
  add(usage: TokenUsage, model?: string): void;
  /** For work that outlives its call: under the same budgets, and counted for the session instead of the turn. */
  detach(): ToolSpending;
}

/** The resources of a running tool. */
export interface ToolContext {
  platform: Platform;
  /** The session's working directory; relative paths start here. */
  cwd: string;
  /** Aborts when the turn is stopped; the tool should settle within 100 ms. */
  signal: AbortSignal;
  toolCallId: string;
  /** Ancestors of this call, outermost first. */
  ownerPath: readonly OwnerPathSegment[];
  /** Shows output before the tool is done. */
  emit(output: ToolOutputChunk): void;
  /** State kept as long as this page or process has the session open. */
  state: Map<string, unknown>;
  /** State kept with the session. */
  memory: ToolMemory;
  /**
   * Makes one call to the session's own model, without tools; absent without a model. It counts towards the turn's
   * usage, and ends with the turn. Untrusted text in the question makes the answer just as untrusted.
   * @throws {DOMException} `AbortError` @throws {Error} the provider's failure, or a spent budget
   */
  ask?(question: ModelQuestion): Promise<ModelAnswer>;
  /** True when the model's service can search the web itself. */
  searchesNatively?: boolean;
  /** The turn's model budget, for tools with model work of their own. */
  spending?: ToolSpending;
  /** The session's rules for single files and commands, for tools that reach many. */
  rules?: AccessRules;
  /** Ends the turn for a hook of a subagent, as one of the session's own can; absent where no turn waits. */
  endTurn?: ((reason: string, agentId: string) => void) | undefined;
  /** The turn's use of skills; absent where they allow nothing, as in a subagent. */
  skills?: SkillUse | undefined;
}

/** The turn's account of its skills, for the tool that brings them in. */
export interface SkillUse {
  /** True for one that the turn uses already: a person began the turn with it, or an earlier call brought it in. */
  isUsed(name: string): boolean;
  /** Shows its use in the history, and puts its permission rules in force until the turn ends. */
  use(name: string, displayInput: string): Promise<void>;
}

/** One owner on the path from the outermost agent to a tool call. */
export interface OwnerPathSegment {
  ownerType: string;
  ownerId: string;
}

/** A piece of output that a running tool shows. */
export interface ToolOutputChunk {
  text: string;
  stream?: "stdout" | "stderr";
}

/** One file before and after a change, for a person to review. `null`: absent. */
export interface FileChange {
  path: string;
  before: string | null;
  after: string | null;
}

/** The outcome of a tool call. A failure is a result, too: the model reads it and goes on. */
export interface ToolResult {
  success: boolean;
  /** Content for the model. */
  output: Content;
  /** The reason of a failure, in one sentence; `output` tells the model how to proceed. */
  error?: string;
  /** A stable word for the failure: a `ToolErrorCode`, such as `ENOENT` or `no_match`, or the tool's own. */
  errorCode?: string | undefined;
  exitCode?: number | undefined;
  /** First line of a file excerpt or of a change, from 1. */
  startLine?: number;
  /**
   * True when words of the result may come from the network although the tool's access does not say so, as with a
   * command line.
   */
  usedNetwork?: boolean | undefined;
  /** Changes the tool made to files, for a person. */
  changes?: FileChange[] | undefined;
  /** Facts for user interfaces; never sent to a model. */
  data?: JsonValue | undefined;
}

/** The preview of a call for the person who approves it. */
export interface ToolPreview {
  changes?: FileChange[];
  /** A remark, such as the shell's report of a dry run. */
  note?: string;
  /** Every protected file that `git` would write, which the person allows with the call. */
  protectedFiles?: string[];
}

/**
 * A function that a model may call: its description and parameters for the model, its access for permissions, and its
 * execution.
 */
export interface Tool<Args extends ToolArgs = ToolArgs> {
  readonly name: string;
  readonly description: string;
  /**
   * JSON Schema of an object. The built-in tools write theirs by hand: every session loads them first, and zod/mini with its
   * JSON Schemas would add 12.5 kB gzipped to an `InteractiveSession`, whose limit has no room for it.
   */
  readonly parameters: JsonObject;
  readonly access?: ToolAccess | undefined;
  /** The access of a single call where it differs from `access`. `isSkillUsed`: as `SkillUse.isUsed`. */
  accessOf?(args: ToolArgs, isSkillUsed: (name: string) => boolean): ToolAccess | undefined;
  /** The argument a permission pattern such as `Bash(git *)` is matched against. */
  readonly patternArgument?: string | undefined;
  /** The kind of that argument. */
  readonly patternKind?: PatternKind | undefined;
  /** True when it starts agents whose calls the session judges one by one. No agent is given such a tool. */
  readonly startsAgents?: boolean | undefined;
  /**
   * True when a call that was cut while it ran can run again, since a second run changes nothing more. When omitted,
   * calls are that only read: with the access `read` or `none`, and commands that provably change nothing.
   */
  readonly idempotent?: boolean | ((args: ToolArgs) => boolean) | undefined;
  /**
   * True when the tool bounds its own output. Any other tool's text over 30,000 characters is truncated, and kept whole
   * in a file.
   */
  readonly limitsOutput?: boolean;
  /**
   * Resolves to the arguments for `execute` (defaults filled in), or to the problems with their paths. Without it,
   * arguments are checked against `parameters`.
   */
  validate?(args: ToolArgs): Promise<Validation<Args>> | Validation<Args>;
  /** Describes the call's effect without any change. */
  preview?(args: Args, context: ToolContext): Promise<ToolPreview | undefined>;
  /** Runs the call. A thrown error becomes the call's result. */
  execute(args: Args, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
}

/** The outcome of checking arguments against a schema. */
export type Validation<Args> = { ok: true; args: Args } | { ok: false; problems: string[] };

/** The facts by which permissions judge a tool. */
export type ToolFacts = Pick<Tool, "access" | "patternArgument" | "patternKind" | "startsAgents">;

/** Gives the literal its argument types. The result is assignable to `Tool`. */
export function defineTool<Args extends ToolArgs>(
  tool: Tool<Args> & { readonly patternArgument?: keyof Args & string },
): Tool<Args> {
  return tool;
}
