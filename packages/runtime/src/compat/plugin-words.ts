import type { PluginCategory as Category } from "../plugins/plugin.ts";
import { PLUGIN_PRIORITY } from "../plugins/plugin.ts";

/** Categories of plugins, under the specification's names. */
export const PluginCategory = {
  EVENT_PROCESSING: "event_processing",
  LOGGING: "logging",
  STORAGE: "storage",
  MONITORING: "monitoring",
  ANALYTICS: "analytics",
  PERFORMANCE: "performance",
  ERROR_HANDLING: "error_handling",
  LIMITS: "limits",
  NOTIFICATION: "notification",
  CUSTOM: "custom",
} as const satisfies Record<string, Category>;
export type PluginCategory = Category;

/** The priorities of plugins as numbers: a higher one runs first. */
export const PluginPriority = {
  CRITICAL: PLUGIN_PRIORITY.critical,
  HIGH: PLUGIN_PRIORITY.high,
  NORMAL: PLUGIN_PRIORITY.normal,
  LOW: PLUGIN_PRIORITY.low,
  MINIMAL: PLUGIN_PRIORITY.minimal,
} as const;
export type PluginPriority = (typeof PluginPriority)[keyof typeof PluginPriority];
