import { type HistoryEntry, isChatEntry } from "../../messages/history.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import { declared, isAgentStarter } from "../../permissions/rules/tool-facts.ts";
import type { Tool, ToolAccess } from "../../tools/tool.ts";

/** Accesses whose results come from this machine's files and programs. */
const LOCAL: ReadonlySet<ToolAccess | undefined> = new Set(["none", "read", "write", "execute"]);

/**
 * Recognizes an entry that may carry words from the network: the result of a tool that reaches other machines or is
 * unknown, of a command line that used the network, the result of an agent, or an answer that cites a page.
 */
export function isUntrustedEntry(entry: HistoryEntry, tools: ReadonlyMap<string, Tool>): boolean {
  if (!isChatEntry(entry)) return entry.type === "tool-end" && hasUsedNetwork(entry.data);
  const message = entry.data;
  if (message.role === "tool") {
    // Such a call never ran, so the words are the session's own.
    if (hasErrorCode(message, "unknown_tool")) return false;
    return isUntrusted(tools.get(message.name) ?? { name: message.name });
  }
  if (message.role !== "assistant" || typeof message.content === "string") return false;
  return message.content.some(
    (part) => part.type === "text" && part.citations?.some(({ url }) => url !== undefined),
  );
}

function isUntrusted(
  tool: Pick<Tool, "name" | "access" | "patternArgument" | "startsAgents">,
): boolean {
  return isAgentStarter(tool) || !LOCAL.has(declared(tool).access);
}

function hasUsedNetwork(data: unknown): boolean {
  const outcome = typeof data === "object" && data !== null && "outcome" in data && data.outcome;
  return typeof outcome === "object" && outcome !== null && "usedNetwork" in outcome;
}
