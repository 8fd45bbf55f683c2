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
 * Options of calls that offer the provider's own web search. The service runs it, so that single uses can't be
 * approved: it is offered while searches run without approval. Until then the tool of that name takes its place: its
 * call asks for approval, and once approved, the service searches.
 */
export function offeredWebTools(parts: NativeWebParts): ChatOptions {
  return isWebSearchOffered(parts) ? { ...parts.nativeWeb?.chatOptions } : {};
}

export function isWebSearchOffered({ nativeWeb, approvals }: NativeWebParts): boolean {
  if (!nativeWeb?.webSearch || approvals.rules.asksAboutNetwork) return false;
  return approvals.rules.explain({ name: WEB_SEARCH }, {}).decision === "auto";
}
