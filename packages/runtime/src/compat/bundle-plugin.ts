import type { HooksConfig } from "../hooks/definition.ts";
import type { PermissionLists } from "../permissions/permission.ts";
import type { Tool } from "../tools/tool.ts";

/** What a bundle of extensions says of itself. */
export interface IBundlePluginManifest {
  /** Unique among the bundles that are installed. */
  name: string;
  /** As in semantic versioning. */
  version: string;
  /** For people. */
  description: string;
  author?: string;
  /** To be found by. */
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
