import type { HooksConfig } from "@robota/runtime";
import type { HookInputOf, HookDefinition } from "@robota/runtime/hooks";

/** The input of hooks before a tool. */
export function beforeTool(
  cwd = "/code",
  tool_name = "Bash",
  tool_input: Record<string, unknown> = { command: "ls" },
): HookInputOf<"PreToolUse"> {
  const call = { tool_name, tool_input, tool_use_id: "call-1" };
  return { session_id: "s-1", cwd, hook_event_name: "PreToolUse", ...call };
}

/** Registers these hooks before every tool. */
export function guards(...hooks: HookDefinition[]): HooksConfig {
  return { PreToolUse: [{ matcher: "", hooks }] };
}

export function command(
  text: string,
  options: { timeout?: number; onFailure?: "block" | "warn" } = {},
): HookDefinition {
  return { type: "command", command: text, ...options };
}
