import type { HookExecutors } from "../../hooks/executor.ts";
import { readExecutors } from "../../hooks/read-executors.ts";
import type { ReadHooks } from "../../hooks/read-hooks.ts";
import { hookWarnings, readUsableHooks, warningsOfRead } from "../../hooks/usable-hooks.ts";
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
 * Reads the hooks that a program gave. Refuses those that can't be used, as hooks of a file are.
 * @throws {ValidationError} with everything that is wrong, and where
 */
export async function readGivenHooks({ initialOptions }: HookCheckParts): Promise<ReadHooks> {
  const { hooks, hookHost } = initialOptions;
  return readUsableHooks(hooks, { types: typesOf(hookHost?.executors) });
}

/**
 * Warns people of hooks in force without effect, or that block everything they guard. `given`: those that the program gave,
 * as they were read; most sessions have no others.
 */
export async function reportIdleHooks(
  parts: HookCheckParts,
  given: ReadHooks | undefined,
): Promise<void> {
  const { options, initialOptions, tools, log } = parts;
  const isAsGiven =
    options.hooks === initialOptions.hooks && options.hookHost === initialOptions.hookHost;
  const known = {
    types: typesOf(options.hookHost?.executors),
    tools: toolNames(tools.keys()),
  };
  const warnings =
    given && isAsGiven
      ? await warningsOfRead(given, known)
      : await hookWarnings(options.hooks, known);
  if (warnings.length === 0) return;
  const texts = warnings.map(({ path, message }) => `hooks.${path} ${message}`);
  const note = { type: "note", kind: "hook-warning", data: { warnings: texts } } as const;
  // Concerns the present run, and is not part of the session's history.
  log.stream(note, { transient: true });
}

/** Hook types with custom executors. */
export function typesOf(executors: HookExecutors | undefined): string[] {
  return executors ? [...readExecutors(executors).keys()] : [];
}
