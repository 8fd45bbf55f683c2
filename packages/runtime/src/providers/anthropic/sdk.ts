/**
 * The used part of the SDK. Bundlers tree-shake named imports, but keep a whole module imported by `import()`: loaded
 * through this file, a page gets a third of it.
 */
export { BaseAnthropic } from "@anthropic-ai/sdk/client";
