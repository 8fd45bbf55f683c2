import { errorMessage } from "../errors.ts";
import { checkLists } from "../permissions/rules/check-lists.ts";
import { requireThreshold } from "./turn/compact-threshold.ts";
import type { ConfigurationRefresh, ConfigurationUpdate } from "./configuration.ts";
import type { SessionCore } from "./core.ts";
import { reportIdleHooks } from "./hooks/hook-checks.ts";
import { unlessAborted } from "./unless-aborted.ts";
import type { NoteKind } from "./log/notes.ts";

/** What was told last of a configuration that can't be used, by session: it is not told again with each turn. */
const told = new WeakMap<SessionCore, string>();

/** Puts in force what has changed of a session's configuration, all of it or nothing. */
export async function refreshConfiguration(
  core: SessionCore,
  refresh: ConfigurationRefresh,
  signal: AbortSignal,
): Promise<void> {
  let hasChanged = false;
  const refreshing = refresh(signal, async (update) => {
    // It may come when nobody waits any more; the next turn asks again.
    signal.throwIfAborted();
    await putInForce(core, update);
    hasChanged = true;
  });
  try {
    // A person who is asked for trust may never answer.
    await unlessAborted(refreshing, signal);
  } catch (error) {
    // The turn ends by itself.
    if (signal.aborted) return;
    const message = errorMessage(error);
    if (told.get(core) === message) return;
    told.set(core, message);
    return tell(core, "settings-kept", { message });
  }
  told.delete(core);
  if (hasChanged) await tell(core, "settings-changed", {});
}

async function tell(
  { state, journal, log }: SessionCore,
  kind: NoteKind,
  data: object,
): Promise<void> {
  const note = { type: "note", kind, data } as const;
  // A session comes into being with its first turn, and has no record of what was before.
  if (state.isInitialised) await journal.commit(note);
  else log.stream(note, { transient: true });
}

async function putInForce(core: SessionCore, update: ConfigurationUpdate): Promise<void> {
  const { permissions = {}, hooks = {}, autoCompactThreshold } = update;
  checkLists(permissions);
  await core.gate.rules.check(permissions);
  const threshold =
    autoCompactThreshold === undefined ? undefined : requireThreshold(autoCompactThreshold);
  await core.hooks.replace(hooks);
  Object.assign(core.options, update);
  await reportIdleHooks(core);
  if (threshold !== undefined) core.autoCompactThreshold = threshold;
}
