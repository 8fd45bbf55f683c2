export {
  connectMcp,
  type McpConnection,
  type McpEndpoint,
  type McpInProcess,
  type McpOptions,
  type McpPins,
  type WithheldTool,
} from "./connect-mcp.ts";
export type { McpAuthorization, McpClientCredentials } from "./authorization.ts";
export type { McpServerObject } from "./endpoint.ts";
