/** The used part of the SDK. The package comes with this file bundled, so that nobody installs the SDK. */
export { agent, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
