import { WEB_SEARCH } from "../../permissions/rules/tool-names.ts";
import type { ChatOptions, NativeWebTools } from "../../providers/provider.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { SessionOptions } from "../options.ts";

export interface NativeWebParts {
  readonly approvals: Approvals;
  /** The provider's own web tools, where it has some. */
  readonly nativeWeb: NativeWebTools | undefined;
}

/** The session's own switch for its provider's web tools. */
export function nativeWebTools({
  provider,
  nativeWebTools: wanted = true,
}: {
  provider?: SessionOptions["provider"] | undefined;
  nativeWebTools?: SessionOptions["nativeWebTools"];
}): NativeWebTools | undefined {
  return wanted ? provider?.configureNativeWebTools?.({ webSearch: true }) : undefined;
}

/**
 * What calls are given to offer the provider's own web search. The service runs it, so that nobody can be asked for each
 * use: it is offered while a search may run without being asked for. Until then the tool of that name stands for it: its
 * call is the question, and what it is allowed to look for, the service searches.
 */
export function offeredWebTools(parts: NativeWebParts): ChatOptions {
  return isWebSearchOffered(parts) ? { ...parts.nativeWeb?.chatOptions } : {};
}

export function isWebSearchOffered({ nativeWeb, approvals }: NativeWebParts): boolean {
  if (!nativeWeb?.webSearch) return false;
  return approvals.rules.explain({ name: WEB_SEARCH }, {}).decision === "auto";
}
