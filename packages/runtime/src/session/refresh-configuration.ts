import { errorMessage } from "../errors.ts";
import { checkLists } from "../permissions/rules/check-lists.ts";
import type { Tool } from "../tools/tool.ts";
import type { ConfigurationRefresh, ConfigurationUpdate } from "./configuration.ts";
import type { Approvals } from "./approvals/approvals.ts";
import type { HookCheckParts } from "./hooks/hook-checks.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { SessionWriter } from "./log/session-writer.ts";
import type { SessionOptions } from "./options.ts";
import type { SessionState } from "./state/state.ts";
import type { NoteKind } from "./log/notes.ts";
import { requireThreshold } from "./option-checks.ts";
import { raceAbort } from "../abort.ts";

export interface RefreshParts extends HookCheckParts {
  /** The session's own copy, into which changes are merged. */
  readonly options: SessionOptions;
  readonly approvals: Approvals;
  readonly hooks: SessionHooks;
  readonly state: SessionState;
  readonly writer: SessionWriter;
  readonly tools: Map<string, Tool>;
  autoCompactThreshold: number | false;
}

/** The last report of a configuration that can't be used, by session: it is not reported again with each turn. */
const reported = new WeakMap<RefreshParts, string>();

/** Applies changes of a session's configuration, all or nothing. */
export async function refreshConfiguration(
  parts: RefreshParts,
  refresh: ConfigurationRefresh,
  signal: AbortSignal,
): Promise<void> {
  let hasChanged = false;
  const refreshing = refresh(signal, async (update) => {
    // An update may arrive after its turn was aborted; the next turn asks again.
    signal.throwIfAborted();
    await putInForce(parts, update);
    hasChanged = true;
  });
  try {
    // A person asked for trust may never answer.
    await raceAbort(refreshing, signal);
  } catch (error) {
    // The turn ends by itself.
    if (signal.aborted) return;
    const message = errorMessage(error);
    if (reported.get(parts) === message) return;
    reported.set(parts, message);
    return note(parts, "settings-kept", { message });
  }
  reported.delete(parts);
  if (hasChanged) await note(parts, "settings-changed", {});
}

async function note(
  { state, writer, log }: RefreshParts,
  kind: NoteKind,
  data: object,
): Promise<void> {
  const event = { type: "note", kind, data } as const;
  // A session comes into being with its first turn, and has no earlier record.
  if (state.isInitialised) await writer.commit(event);
  else log.stream(event, { transient: true });
}

async function putInForce(parts: RefreshParts, update: ConfigurationUpdate): Promise<void> {
  const { permissions = {}, hooks = {}, autoCompactThreshold } = update;
  checkLists(permissions);
  await parts.approvals.rules.check(permissions);
  const threshold =
    autoCompactThreshold === undefined ? undefined : requireThreshold(autoCompactThreshold);
  await parts.hooks.replace(hooks);
  Object.assign(parts.options, update);
  if (update.tools) replaceTools(parts.tools, update.tools);
  const { reportIdleHooks } = await import("./hooks/hook-checks.ts");
  await reportIdleHooks(parts, undefined);
  if (threshold !== undefined) parts.autoCompactThreshold = threshold;
}

function replaceTools(tools: Map<string, Tool>, next: readonly Tool[]): void {
  const names = new Set(next.map(({ name }) => name));
  for (const name of [...tools.keys()].filter((one) => !names.has(one))) tools.delete(name);
  for (const tool of next) tools.set(tool.name, tool);
}
