import type { HooksConfig } from "../../hooks/definition.ts";
import type { PermissionLists } from "../../permissions/permission.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentDefinition } from "../agents/agent-definition.ts";
import type { ParsedSkill } from "../skills/parse-skill-file.ts";
import type { McpServerSettings } from "../settings/settings.ts";

/** The description of a bundle, by its author. */
export interface BundlePluginManifest {
  /** Lower-case letters and digits in words joined by `-`; unique among the installed bundles. */
  name: string;
  /** Semantic version; `0.0.0` for a bundle in Claude Code's layout without one. */
  version: string;
  /** Description for people. */
  description: string;
  author?: string;
  /** Search keywords. */
  keywords?: readonly string[];
  /** Search category. */
  category?: string;
  homepage?: string;
  license?: string;
}

/** A text of a bundle with front matter: a command or a skill. */
export interface BundleText {
  /** Name of its own, without the bundle's. */
  name: string;
  description: string;
  /** Path in the bundle. */
  file: string;
  /** The fields of its front matter, as written. */
  fields: Readonly<Record<string, unknown>>;
  /** The text below the front matter. */
  text: string;
}

/** A skill of a bundle. */
export interface BundleSkill extends BundleText {
  skill: ParsedSkill;
}

/** A part of a bundle that is not in force, and the reason. */
export interface BundleWarning {
  /** Path in the bundle. */
  file: string;
  message: string;
}

/** The permission rules of a bundle. */
export type BundlePermissions = Pick<PermissionLists, "allow" | "ask" | "deny">;

/**
 * A bundle with its parts, ready for a session. Parts that it does not have are absent. All of it is data: no code of a
 * bundle is imported or evaluated; its commands run in the session's shell under the session's rules.
 */
export interface LoadedBundlePlugin {
  manifest: BundlePluginManifest;
  /** Absolute path of its files. */
  directory: string;
  /** Named `plugin__<bundle>__<tool>`. */
  tools?: readonly Tool[];
  hooks?: HooksConfig;
  permissions?: BundlePermissions;
  /** Added to the system prompt. */
  systemPrompt?: string;
  /** Named `<bundle>:<skill>` where they meet others, and so are commands and agents. */
  skills?: readonly BundleSkill[];
  commands?: readonly BundleText[];
  agents?: readonly AgentDefinition[];
  mcpServers?: Readonly<Record<string, McpServerSettings>>;
  warnings: readonly BundleWarning[];
}
