import { definedOptions } from "../defined-options.ts";
import type { PermissionMode } from "../permissions/permission.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import type { PermissionHandler } from "../session/approvals/approvals.ts";
import type { Tool } from "../tools/tool.ts";
import { InteractiveSession } from "./interactive-session.ts";
import { abortError, RobotaError } from "../errors.ts";
import type { InteractiveSessionOptions } from "./options.ts";
import type { SettingsOptions } from "./settings/settings.ts";

export interface QueryOptions
  extends SettingsOptions, Pick<InteractiveSessionOptions, "hooks" | "hookHost"> {
  /** The platform's own when omitted: the process's in Node, `/workspace` in a tab and in a worker. */
  cwd?: string | undefined;
  /** `default` by default. A call that needs approval is denied without a handler. */
  permissionMode?: PermissionMode | undefined;
  permissionHandler?: PermissionHandler | undefined;
  /** Maximum number of provider calls. */
  maxTurns?: number | undefined;
  onTextDelta?(delta: string): void;
  /** Called with the summary that replaced the conversation so far. */
  onCompact?(summary: string): void;
  signal?: AbortSignal | undefined;
}

export interface QueryFactoryOptions extends QueryOptions {
  provider: Provider;
  platform: Platform;
  tools?: readonly Tool[] | undefined;
}

export type Query = (prompt: string, options?: QueryOptions) => Promise<string>;

/**
 * Creates a function for one-off questions: `const query = createQuery({ provider, platform }); await query("Show me
 * the file list")`. Each call is a session of its own, so overlapping calls are independent.
 * @throws {DOMException} `AbortError` when `signal` aborts
 * @throws {RobotaError} the provider's failure
 */
export function createQuery(defaults: QueryFactoryOptions): Query {
  return async (prompt, options = {}) => {
    const { signal, onTextDelta, ...rest } = { ...defaults, ...definedOptions(options) };
    if (signal?.aborted) throw abortError();
    const { permissionHandler = () => false } = rest;
    await using session = new InteractiveSession({ ...rest, permissionHandler });
    if (onTextDelta) session.on("text_delta", onTextDelta);
    const onAbort = (): void => session.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    let failure: Error | undefined;
    session.on("error", (error) => (failure = error));
    try {
      const result = await session.submit(prompt);
      if (result.state === "interrupted") throw abortError();
      if (result.state === "failed") throw failure ?? unexplained();
      return result.response;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  };
}

function unexplained(): RobotaError {
  return new RobotaError("The turn failed", {
    code: "UNKNOWN_ERROR",
    category: "system",
    recoverable: false,
  });
}
