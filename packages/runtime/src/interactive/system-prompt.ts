import type { PermissionMode } from "../permissions/permission.ts";
import type { Tool } from "../tools/tool.ts";

/** The system prompt: who the agent is, where it works, its permissions and its way of working. */
export function buildSystemPrompt(facts: {
  cwd: string;
  permissionMode: PermissionMode;
  tools: readonly Tool[];
  shell: "native" | "virtual";
  /** True when the model's own service can search the web. */
  searchesWeb: boolean;
  /** Language of the answers. */
  language?: string;
}): string {
  const names = facts.tools.map((tool) => tool.name).join(", ");
  const shell =
    facts.shell === "virtual"
      ? "Commands run in a virtual bash over this session's files; there are no other programs and no processes."
      : "Commands run in bash on this machine.";
  const search = facts.searchesWeb
    ? [
        "Where web_search is offered, the service searches the web itself: use it rather than WebSearch for what may be newer than what you know, and name your sources.",
      ]
    : [];
  const answers = facts.language === undefined ? [] : [`Answer in ${facts.language}.`];
  return [
    "You are an agent that works on a person's files with the tools you are given. Do what was asked, completely, and nothing beyond it.",
    `Working directory: ${facts.cwd}. Relative paths start there.`,
    `Tools: ${names || "none"}. ${shell}`,
    `Permission mode: ${facts.permissionMode}. A call may need the person's approval. When one is denied, take the reason into account; do not try the same by another way.`,
    "Read a file before you change it. After a change, run the project's own check when there is one. Say what you did in a few plain sentences.",
    ...search,
    ...answers,
  ].join("\n\n");
}
