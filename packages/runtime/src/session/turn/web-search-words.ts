import type { SystemPromptReport } from "../../context/prompt-report.ts";
import { CHARACTERS_PER_TOKEN } from "../../context/tracker.ts";

export const WEB_SEARCH_SECTION = "web-search";
/** The instructions for a model whose own service can search the web. */
export const WEB_SEARCH_TEXT =
  "Where web_search is offered, the service searches the web itself: use it rather than WebSearch for what may be newer than what you know, and name your sources.";

/** True when a system prompt made of sections has the instructions for web search. */
export function saysWebSearch({ sections }: SystemPromptReport): boolean {
  return sections.some(({ section }) => section === WEB_SEARCH_SECTION);
}

/** The system message with these instructions at its end, or without them. */
export function withWebSearch(systemMessage: string, searchesWeb: boolean): string {
  const without = systemMessage.replace(`\n\n${WEB_SEARCH_TEXT}`, "");
  return searchesWeb ? `${without}\n\n${WEB_SEARCH_TEXT}` : without;
}

/** The report of a system prompt after `withWebSearch`. */
export function reportWithWebSearch(
  report: SystemPromptReport,
  searchesWeb: boolean,
): SystemPromptReport {
  if (saysWebSearch(report) === searchesWeb) return report;
  const tokens = Math.ceil(WEB_SEARCH_TEXT.length / CHARACTERS_PER_TOKEN);
  const others = report.sections.filter(({ section }) => section !== WEB_SEARCH_SECTION);
  // The last one of the system message, before the sections from files.
  const at = others.findLastIndex(({ source }) => source === undefined) + 1;
  const section = { section: WEB_SEARCH_SECTION, tokens, state: "included" as const };
  return {
    ...report,
    tokens: report.tokens + (searchesWeb ? tokens : -tokens),
    sections: searchesWeb ? others.toSpliced(at, 0, section) : others,
  };
}
