/**
 * The used part of the SDK. Bundlers tree-shake named imports, but keep a whole module imported by `import()`: loaded
 * through this file, a page gets the client without those for other clouds.
 */
export { OpenAI } from "openai/client";
