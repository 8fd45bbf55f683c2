export {
  connectMcp,
  type McpConnection,
  type McpEndpoint,
  type McpInProcess,
  type McpOptions,
  type McpPins,
  type WithheldTool,
} from "./connect-mcp.ts";
export type { McpAuthorization, McpClientCredentials } from "./authorization-options.ts";
export type { McpServerObject, McpTransport } from "./server-object.ts";
