import {
  contentText,
  type HookInput,
  type HooksConfig,
  type Message,
  Session,
  type SessionOptions,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { echo } from "./support.ts";

export type Script = ConstructorParameters<typeof ScriptedProvider>[0];

/** A session in memory that never asks for approval, with a scripted model. */
export function sessionWith(
  script: Script,
  hooks: HooksConfig,
  options: Partial<SessionOptions> = {},
): { session: Session; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script);
  const session = new Session({
    platform: memoryPlatform(),
    provider,
    tools: [echo],
    permissionMode: "bypassPermissions",
    hooks,
    ...options,
  });
  return { session, provider };
}

/** Hooks on every event that record their input. */
export function recording(): { hooks: HooksConfig; inputs: HookInput[] } {
  const inputs: HookInput[] = [];
  const group = [
    { hooks: [{ type: "function" as const, run: (input: HookInput) => void inputs.push(input) }] },
  ];
  const events = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
  ] as const;
  return { hooks: Object.fromEntries(events.map((event) => [event, group])), inputs };
}

/** One hook on an event. */
export function on(
  event: keyof HooksConfig,
  run: (input: HookInput) => object | void,
  matcher = "",
): HooksConfig {
  return { [event]: [{ matcher, hooks: [{ type: "function", run }] }] };
}

/** The output of a hook that adds a text. */
export const context = (hookEventName: string, additionalContext: string): object => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

/** Names of the events that hooks received. */
export const names = (inputs: readonly HookInput[]): string[] =>
  inputs.map((input) => input.hook_event_name);

/** The text at the end of a request. */
export function lastText(request: { messages: readonly Message[] } | undefined): string {
  return contentText(request?.messages.at(-1)?.content ?? "");
}
