import type { PermissionMode } from "../../permissions/permission.ts";
import { visibleText } from "../../permissions/visible-text.ts";
import { WEB_SEARCH_SECTION, WEB_SEARCH_TEXT } from "../../session/turn/web-search-words.ts";
import type { Tool } from "../../tools/tool.ts";
import type { PromptSection } from "./prompt-section.ts";

/** The facts behind the runtime's own sections. */
export interface PromptFacts {
  cwd: string;
  /** Sections with the facts known about the project. */
  project: readonly PromptSection[];
  permissionMode: PermissionMode;
  tools: readonly Tool[];
  shell: "native" | "virtual";
  /** True when the model's own service can search the web. */
  searchesWeb: boolean;
  /** Language of the answers. */
  language?: string | undefined;
}

const ROLE = [
  "You are an agent that works on a person's files with the tools you are given. Do what was asked, completely, and nothing beyond it.",
  "Read a file before you change it. After a change, run the project's own check when there is one. Say what you did in a few plain sentences.",
].join("\n\n");

/** The runtime's own sections: the agent's role, where it works, its permissions, tools and language. */
export function ownSections(facts: PromptFacts): PromptSection[] {
  const { cwd, project, permissionMode, tools, shell, searchesWeb, language } = facts;
  const names = tools.map((tool) => tool.name).join(", ");
  const commands =
    shell === "virtual"
      ? "Commands run in a virtual bash over this session's files; there are no other programs and no processes."
      : "Commands run in bash on this machine.";
  return [
    { name: "role", text: ROLE },
    {
      name: "cwd",
      text: `Working directory: ${visibleText(cwd, { singleLine: true })}. Relative paths start there.`,
    },
    ...project,
    {
      name: "permissions",
      text: `Permission mode: ${permissionMode}. A call may need the person's approval. When one is denied, take the reason into account; do not try the same by another way.`,
    },
    { name: "tools", text: `Tools: ${names || "none"}. ${commands}` },
    ...(language === undefined ? [] : [{ name: "language", text: `Answer in ${language}.` }]),
    ...(searchesWeb ? [{ name: WEB_SEARCH_SECTION, text: WEB_SEARCH_TEXT }] : []),
  ];
}
