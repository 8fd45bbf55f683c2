import type { HookExecutors } from "../../hooks/executor.ts";
import { readExecutors } from "../../hooks/read-executors.ts";
import { hookWarnings, requireUsableHooks } from "../../hooks/usable-hooks.ts";
import type { Tool } from "../../tools/tool.ts";
import { toolNames } from "../approvals/known-tool-names.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionOptions } from "../options.ts";

type HookOptions = Pick<SessionOptions, "hooks" | "hookHost">;

export interface HookCheckParts {
  readonly options: HookOptions;
  /** The options that the program gave, before the session was configured. */
  readonly initialOptions: HookOptions;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly log: SessionLog;
}

/**
 * Refuses hooks that a program gave and that can't be used, as hooks of a file are.
 * @throws {ValidationError} with everything that is wrong, and where
 */
export async function requireGivenHooks({ initialOptions }: HookCheckParts): Promise<void> {
  const { hooks, hookHost } = initialOptions;
  await requireUsableHooks(hooks, { types: typesOf(hookHost?.executors) });
}

/** Warns people of hooks in force without effect, or that block everything they guard. */
export async function reportIdleHooks(parts: HookCheckParts): Promise<void> {
  const { options, tools, log } = parts;
  const warnings = await hookWarnings(options.hooks, {
    types: typesOf(options.hookHost?.executors),
    tools: toolNames(tools.keys()),
  });
  if (warnings.length === 0) return;
  const texts = warnings.map(({ path, message }) => `hooks.${path} ${message}`);
  const note = { type: "note", kind: "hook-warning", data: { warnings: texts } } as const;
  // Concerns the present run, and is not part of the session's history.
  log.stream(note, { transient: true });
}

/** Hook types with custom executors. */
export function typesOf(executors: HookExecutors | undefined): string[] {
  return [...readExecutors(executors).keys()];
}
