import type { Content, JsonObject, JsonValue, TokenUsage, ToolArgs } from "../messages/message.ts";
import type { AccessRules } from "../ports/access.ts";
import type { Platform } from "../ports/platform.ts";

/**
 * What a tool can do to the world, which is all that permissions need to know of it: `read` looks at files, `write`
 * changes files, `execute` runs commands, `network` talks to other machines, `agent` starts another agent, `none`
 * touches nothing outside the conversation. A tool that does not say is treated as unknown.
 */
export type ToolAccess = "none" | "read" | "write" | "execute" | "network" | "agent";

/** Small texts by key that tools keep over the calls of one session, also when it is opened again later. */
export interface ToolMemory {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

/** What a tool asks the model that its session uses, outside of the conversation. */
export interface ModelQuestion {
  prompt: string;
  systemMessage?: string;
  /** Of the answer. */
  maxTokens: number;
  /** Lets the model's service search the web for it, where it can: see `ToolContext.searchesNatively`. */
  searchesWeb?: boolean;
}

export interface ModelAnswer {
  text: string;
  /** False for one that was cut, such as at `maxTokens`. */
  isWhole: boolean;
  usage?: TokenUsage;
}

/** Counts what a tool has models do with what its turn uses. */
export interface ToolSpending {
  /** Why nothing more may be used, if so: a budget is spent. */
  refusal(): Error | undefined;
  add(usage: TokenUsage): void;
}

/** What a running tool may reach. */
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
  /** What is kept as long as this page or process has the session open. */
  state: Map<string, unknown>;
  /** What is kept as long as the session is. */
  memory: ToolMemory;
  /**
   * One call to the session's own model, without tools; absent where there is none. It counts with what the turn uses, and
   * ends with the turn. What a model is given of others' texts may lead it anywhere: the answer is no more to be trusted.
   * @throws {DOMException} `AbortError` @throws {Error} what the provider failed with, or that a budget is spent
   */
  ask?(question: ModelQuestion): Promise<ModelAnswer>;
  /** Whether the service of the model that `ask` asks can search the web itself. */
  searchesNatively?: boolean;
  /** What the turn may use of models, for tools that have some work on their own. */
  spending?: ToolSpending;
  /** What the session's rules say about single files and commands, for tools that reach many. */
  rules?: AccessRules;
}

export interface OwnerPathSegment {
  ownerType: string;
  ownerId: string;
}

export interface ToolOutputChunk {
  text: string;
  stream?: "stdout" | "stderr";
}

/** One file as it was and as it will be or is, for a person to look at. `null`: not there. */
export interface FileChange {
  path: string;
  before: string | null;
  after: string | null;
}

export interface ToolResult {
  success: boolean;
  /** What the model sees. */
  output: Content;
  /** Why it failed, in one sentence; `output` tells the model what to do next. */
  error?: string;
  /** A stable word for the failure: a `ToolErrorCode`, such as `ENOENT` or `no_match`, or the tool's own. */
  errorCode?: string;
  exitCode?: number;
  /** First line of a file excerpt or of a change, from 1. */
  startLine?: number;
  /** Changes the tool made to files, for a person. */
  changes?: FileChange[];
  /** Facts for user interfaces; never sent to a model. */
  data?: JsonValue;
}

/** What a person sees before deciding whether a call may run. */
export interface ToolPreview {
  changes?: FileChange[];
  /** Such as the shell's report of a dry run. */
  note?: string;
}

export interface Tool<Args extends ToolArgs = ToolArgs> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  readonly access?: ToolAccess;
  /** The argument a permission pattern such as `Bash(git *)` is matched against. */
  readonly patternArgument?: string;
  /** It keeps its own output within bounds. Any other tool's text over 30,000 characters is cut, and kept whole in a file. */
  readonly limitsOutput?: boolean;
  /**
   * Resolves to the arguments as `execute` gets them (defaults filled in), or to what is wrong, with the place.
   * Without it, arguments are checked against `parameters`.
   */
  validate?(args: ToolArgs): Promise<Validation<Args>> | Validation<Args>;
  /** Never changes anything. */
  preview?(args: Args, context: ToolContext): Promise<ToolPreview | undefined>;
  /** May throw: the failure becomes the call's result. */
  execute(args: Args, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
}

export type Validation<Args> = { ok: true; args: Args } | { ok: false; problems: string[] };

/** Gives the literal its argument types. The result fits wherever a `Tool` is asked for. */
export function defineTool<Args extends ToolArgs>(
  tool: Tool<Args> & { readonly patternArgument?: keyof Args & string },
): Tool<Args> {
  return tool;
}
