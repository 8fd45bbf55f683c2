export {
  connectMcp,
  type McpConnection,
  type McpOptions,
  type McpPins,
  type WithheldTool,
} from "./connect-mcp.ts";
