import type { ToolArgs, ToolCall, ToolMessage } from "../../messages/message.ts";
import { assemblePlatform } from "../../ports/assemble.ts";
import type { Platform } from "../../ports/platform.ts";
import type { Tool, ToolOutputChunk } from "../../tools/tool.ts";
import { ToolRegistry } from "../../tools/tool-registry.ts";
import { type Authorization, runToolBatch } from "../../agent/tool-batch.ts";

export interface ToolExecutionServiceOptions {
  tools: ToolRegistry | readonly Tool[];
  /** Platform of the tools; without it, tools that need files or a shell fail with a clear error. */
  platform?: Platform | undefined;
  /** Absolute; `/` when omitted. */
  cwd?: string | undefined;
  /** Decides before each call, in order; everything runs when omitted. */
  authorize?(call: ToolCall, tool: Tool, args: ToolArgs): Promise<Authorization> | Authorization;
}

export interface ToolExecutionOptions {
  signal?: AbortSignal | undefined;
  /** Called with output as it arrives. */
  onOutput?(call: ToolCall, output: ToolOutputChunk): void;
}

/** Runs the tool calls of a model's answer, for programs with a loop of their own; a `Robota` has this built in. */
export class ToolExecutionService {
  readonly #options: ToolExecutionServiceOptions;
  readonly #platform: Platform;
  readonly #state = new Map<string, unknown>();
  readonly #memory = new Map<string, string>();

  constructor(options: ToolExecutionServiceOptions) {
    this.#options = options;
    this.#platform = assemblePlatform(options);
  }

  /**
   * Runs the calls, at most five at once, and resolves to one result each, in order. Unknown tools, invalid arguments
   * and failing tools give failed results; never rejects because of a tool.
   */
  async execute(
    calls: readonly ToolCall[],
    options: ToolExecutionOptions = {},
  ): Promise<ToolMessage[]> {
    const { tools, cwd = "/" } = this.#options;
    const list = tools instanceof ToolRegistry ? tools.list() : tools;
    const { signal = new AbortController().signal } = options;
    const results: ToolMessage[] = [];
    await runToolBatch({
      calls,
      tools: new Map(list.map((tool) => [tool.name, tool])),
      signal,
      context: (call) => ({
        platform: this.#platform,
        cwd,
        signal,
        toolCallId: call.id,
        ownerPath: [{ ownerType: "tool", ownerId: call.id }],
        emit: (output) => options.onOutput?.(call, output),
        state: this.#state,
        memory: this.#memory,
      }),
      authorize: (call, tool, args) =>
        this.#options.authorize?.(call, tool, args) ?? { allow: true, args },
      onEnd: ({ message }) => void results.push(message),
      now: () => this.#platform.now(),
      randomUUID: () => this.#platform.randomUUID(),
    });
    return results;
  }
}
