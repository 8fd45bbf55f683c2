export {
  type AcpSessionRequest,
  acpTransport,
  type AcpTransport,
  type AcpTransportOptions,
  type MessageChannelEnd,
} from "./acp/acp-transport.ts";
export type {
  AcpContentBlock,
  AcpSessionInfo,
  AcpToolContent,
  AcpToolKind,
  AcpUpdate,
} from "./acp/updates.ts";
export { type AcpEncoder, acpEncoder, type AcpEncoderOptions } from "./acp/encoder.ts";
export { type AgUiEncoder, agUiEncoder, type AgUiEncoderOptions } from "./ag-ui/encoder.ts";
export type { AgUiEvent, AgUiInterrupt, AgUiState } from "./ag-ui/events.ts";
export type { AiSdkUiChunk, AiSdkUiData, AiSdkUiMetadata } from "./ai-sdk-ui/chunks.ts";
export { aiSdkUiEncoder, type AiSdkUiEncoder } from "./ai-sdk-ui/encoder.ts";
export { isAnonymousOwner } from "./http/anonymous.ts";
export type { Owner } from "./http/authenticate.ts";
export { executorHandler, type ExecutorHandlerOptions } from "./http/executor-handler.ts";
export {
  httpTransport,
  type HttpTransport,
  type HttpTransportOptions,
} from "./http/http-transport.ts";
export {
  inProcessSessions,
  type InProcessSessionsOptions,
} from "./http/in-process/in-process-sessions.ts";
export {
  type Principal,
  principalOf,
  type TicketUse,
  withPrincipal,
} from "./http/principal/principal.ts";
export { isStillGranted } from "./http/principal/granted.ts";
export { type Scope, SCOPES } from "./http/principal/scopes.ts";
export {
  type IssuedTicket,
  type Tickets,
  ticketsFrom,
  usedTickets,
} from "./http/principal/tickets.ts";
export type { Token, TokenTable } from "./http/principal/tokens.ts";
export { meteredProvider, type UseMeter } from "./http/limits/metered-provider.ts";
export {
  checkDay,
  closeStreams,
  DEFAULT_USAGE_LIMITS,
  type ModelUse,
  openStream,
  type Refusal,
  renewStreams,
  reserveUse,
  settleUse,
  takeRequest,
  type Usage,
  type UsageLimits,
} from "./http/limits/usage.ts";
export { type StreamCounter, storedUsage, type UsageCounter } from "./http/limits/usage-counter.ts";
export type { RequestRecord } from "./http/request-log.ts";
export type { SessionEnvironment } from "./http/session-environment.ts";
export { openApiDocument } from "./http/describe.ts";
export { differentRequest, HttpProblem, problemResponse, tooManySessions } from "./http/problem.ts";
export type {
  NewSession,
  OpenSession,
  SessionGateway,
  SessionHost,
  SessionSummary,
} from "./http/session-host.ts";
export {
  type HttpLimits,
  sessionRoutes,
  type SessionRoutesOptions,
} from "./http/session-routes.ts";
export type { NewRemoteSession } from "./remote/new-session.ts";
export { RemoteError, type RemoteErrorCode } from "./remote/remote-error.ts";
export { type MoveCommandOptions, MoveCommandSource } from "./remote/move/move-command-source.ts";
export { moveFromServer, type MoveBackOptions } from "./remote/move/move-from-server.ts";
export { moveStoredSession } from "./remote/move/move-stored-session.ts";
export {
  type MoveOptions,
  moveToServer,
  type MovingSession,
} from "./remote/move/move-to-server.ts";
export { RemoteSession, type RemoteSessionOptions } from "./remote/remote-session.ts";
export type { ConnectionState } from "./remote/session-follower.ts";
export { deleteRemoteSession, listRemoteSessions } from "./remote/stored-on-server.ts";
export type { Denial } from "./headless/denials.ts";
export type { HeadlessOptions, OutputFormat } from "./headless/headless-options.ts";
export { type HeadlessTransport, headlessTransport } from "./headless/headless-transport.ts";
export type { InputLine } from "./headless/input-line.ts";
export {
  type McpByteStream,
  type McpClientConnection,
  type McpServeOptions,
  type McpServerTransport,
  mcpTransport,
  type McpTransportOptions,
} from "./mcp/mcp-transport.ts";
export { PING, PONG, SOCKET_PROTOCOL } from "./web-socket/frames.ts";
export type { ServerSocket, SocketFacts } from "./web-socket/socket.ts";
export type { SocketLimits } from "./web-socket/socket-connection.ts";
export {
  type WebSocketTransport,
  webSocketTransport,
  type WebSocketTransportOptions,
} from "./web-socket/web-socket-transport.ts";
