import type { OptionForms } from "../../option-forms.ts";
import type { RemoteSessionOptions } from "./remote-session.ts";

/** Every option of a session on a server. */
export const REMOTE_OPTIONS: OptionForms<RemoteSessionOptions> = {
  url: "string",
  token: "any",
  fetch: "function",
  transport: "string",
  openSocket: "function",
  silenceMs: "number",
  sessionId: "string",
  permissionHandler: "function",
  timeoutMs: "number",
  firstDelayMs: "number",
  maxDelayMs: "number",
  onConnection: "function",
};
