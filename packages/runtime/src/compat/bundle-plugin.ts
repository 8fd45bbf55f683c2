import type { HooksConfig } from "../hooks/definition.ts";
import type { PermissionLists } from "../permissions/permission.ts";
import type { Tool } from "../tools/tool.ts";

/** The manifest of a bundle of extensions. */
export interface IBundlePluginManifest {
  /** Unique among the bundles that are installed. */
  name: string;
  /** Semantic version. */
  version: string;
  /** Description for people. */
  description: string;
  author?: string;
  /** Search keywords. */
  keywords?: readonly string[];
}

/** A bundle with its parts, ready for the options of a session. Parts that it does not have are absent. */
export interface ILoadedBundlePlugin {
  manifest: IBundlePluginManifest;
  tools?: readonly Tool[];
  hooks?: HooksConfig;
  permissions?: Partial<PermissionLists>;
  /** Added to the system prompt. */
  systemPrompt?: string;
}
