import type { BundlePluginManifest, LoadedBundlePlugin } from "../interactive/bundles/bundle.ts";

/** The manifest of a bundle of extensions. */
export type IBundlePluginManifest = BundlePluginManifest;

/** A bundle with its parts, ready for the options of a session. Parts that it does not have are absent. */
export type ILoadedBundlePlugin = Pick<
  LoadedBundlePlugin,
  "manifest" | "tools" | "hooks" | "permissions" | "systemPrompt"
>;
