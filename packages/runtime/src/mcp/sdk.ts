/**
 * The used part of the SDK. Bundlers tree-shake named imports, but keep a whole module imported by `import()`. The package
 * comes with this file bundled, so that nobody installs the SDK.
 */
export {
  auth,
  Client,
  computeScopeUnion,
  deserializeMessage,
  extractWWWAuthenticateParams,
  InMemoryTransport,
  isStrictScopeSuperset,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
