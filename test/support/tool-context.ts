import type { Platform } from "../../packages/runtime/src/ports/platform.ts";
import type { ToolContext, ToolOutputChunk } from "../../packages/runtime/src/tools/tool.ts";

/** A context for testing a tool, with the events that it emitted. */
export interface TestToolContext extends ToolContext {
  readonly emitted: ToolOutputChunk[];
}

/**
 * The context that a session passes to a tool, for tests of tools. Calls that share the context share the session's
 * state.
 */
export function toolContext(
  platform: Platform,
  overrides: Partial<ToolContext> = {},
): TestToolContext {
  const emitted: ToolOutputChunk[] = [];
  return {
    platform,
    cwd: "/code",
    signal: new AbortController().signal,
    toolCallId: "call-1",
    ownerPath: [],
    state: new Map(),
    memory: new Map(),
    emitted,
    emit: (chunk) => emitted.push(chunk),
    ...overrides,
  };
}
