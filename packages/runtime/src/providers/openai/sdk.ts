/**
 * What is used of the SDK. Bundlers leave out what a module does not name, but keep all of one that is imported by
 * `import()`: loaded through here, a page gets the client without those for other clouds.
 */
export { OpenAI } from "openai/client";
