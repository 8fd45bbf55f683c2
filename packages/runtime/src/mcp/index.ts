export { connectMcp, type McpConnection, type McpOptions } from "./connect-mcp.ts";
