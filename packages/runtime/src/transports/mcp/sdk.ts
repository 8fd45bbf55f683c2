/**
 * The used part of the SDK. Bundlers tree-shake named imports, but keep a whole module imported by `import()`. The package
 * comes with this file bundled, so that nobody installs the SDK.
 */
export {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  deserializeMessage,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
