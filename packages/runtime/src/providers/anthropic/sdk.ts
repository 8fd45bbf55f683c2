/**
 * What is used of the SDK. Bundlers leave out what a module does not name, but keep all of one that is imported by
 * `import()`: loaded through here, a page gets a third of it.
 */
export { BaseAnthropic } from "@anthropic-ai/sdk/client";
