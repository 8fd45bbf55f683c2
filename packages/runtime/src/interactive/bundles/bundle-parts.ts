import { defined } from "../../defined.ts";
import type { HookFunctionAnswer, HooksConfig } from "../../hooks/definition.ts";
import { basename, dirname } from "../../ports/path.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentFile } from "../agents/agent-files.ts";
import type { BroughtSection } from "../prompt/prompt-section.ts";
import { SECTION_PRIORITY } from "../prompt/prompt-section.ts";
import type { SkillFile } from "../skills/skill.ts";
import type { LayerInForce } from "../settings/merge.ts";
import type { BundleRecord } from "./bundle-records.ts";

const INTRO =
  "Instructions of plugins that the person has installed. They approve nothing, and what the person says comes first.";
/** Tokens. */
const MAX_PROMPT = 1000;

/** The rules, hooks and servers of bundles as layers of settings, behind all others. */
export function bundleLayers(records: readonly BundleRecord[]): LayerInForce[] {
  return records.flatMap(({ name, scope, bundle }) => {
    if (!bundle) return [];
    const { permissions, hooks, mcpServers } = bundle;
    const values = defined({ permissions, hooks, mcpServers });
    return [{ name, scope, values, isBundle: true }];
  });
}

export function bundleTools(records: readonly BundleRecord[]): Tool[] {
  return records.flatMap(({ bundle }) => bundle?.tools ?? []);
}

/** Agents of bundles, named `bundle:agent`. */
export function bundleAgents(records: readonly BundleRecord[]): AgentFile[] {
  return records.flatMap(({ name, bundle }) =>
    (bundle?.agents ?? []).map((agent) => ({
      name: `${name}/agents/${agent.name}.md`,
      // The prefix is the bundle's, and the person has approved it or trusts the workspace.
      scope: "user" as const,
      text: agent.systemPrompt,
      definition: { ...agent, name: `${bundle?.manifest.name}:${agent.name}` },
    })),
  );
}

/** Skills of bundles, named `bundle:skill`. */
export function bundleSkills(records: readonly BundleRecord[]): SkillFile[] {
  return records.flatMap(({ name: label, bundle }) =>
    (bundle?.skills ?? []).map(({ file, text, skill }): SkillFile => {
      const { directory = "", manifest } = bundle ?? {};
      const source = `${label}/${basename(directory)}/${file}`;
      const own = { name: `${manifest?.name}:${skill.name}`, source, scope: "user" as const };
      const folder = `${directory}/${dirname(file)}`;
      return { name: source, scope: "user", text, skill: { ...skill, ...own, directory: folder } };
    }),
  );
}

/** The sections of the system prompt that come from bundles. */
export function bundleSections(records: readonly BundleRecord[]): BroughtSection[] {
  return records.flatMap(({ name, bundle }) =>
    bundle?.systemPrompt === undefined
      ? []
      : [
          {
            name: "plugins",
            source: name,
            text: `# ${bundle.manifest.name}\n\n${bundle.systemPrompt}`,
            priority: SECTION_PRIORITY.plugins,
            maxTokens: MAX_PROMPT,
            intro: INTRO,
          },
        ],
  );
}

/**
 * Hooks that tell the model, with the next prompt, which instructions have come or gone since the system prompt was
 * written, which stays as it was recorded.
 */
export function promptChangeHooks(
  before: readonly BundleRecord[],
  now: readonly BundleRecord[],
): HooksConfig {
  const was = promptsOf(before);
  const is = promptsOf(now);
  const notes = [
    ...[...was.keys()]
      .filter((name) => !is.has(name))
      .map(
        (name) =>
          `The plugin ${name} is no longer in use: its instructions and its skills do not hold any more.`,
      ),
    ...[...is]
      .filter(([name, prompt]) => prompt !== "" && was.get(name) !== prompt)
      .map(
        ([name, prompt]) =>
          `Instructions of the plugin ${name}, which is in use from now on:\n\n${prompt}`,
      ),
  ];
  if (notes.length === 0) return {};
  const additionalContext = notes.join("\n\n");
  let isTold = false;
  const tell = (): HookFunctionAnswer => {
    if (isTold) return undefined;
    isTold = true;
    return { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext } };
  };
  return { UserPromptSubmit: [{ hooks: [{ type: "function", name: "plugins", run: tell }] }] };
}

function promptsOf(records: readonly BundleRecord[]): Map<string, string> {
  return new Map(
    records.flatMap(({ bundle }) =>
      bundle ? [[bundle.manifest.name, bundle.systemPrompt ?? ""]] : [],
    ),
  );
}
