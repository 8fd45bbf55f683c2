import type { OptionForms } from "../option-forms.ts";
import { SESSION_OPTIONS } from "../session/known-options.ts";
import type { InteractiveSessionParts } from "./options.ts";

/** Every option of an interactive session, those of its session included. */
export const INTERACTIVE_OPTIONS: OptionForms<InteractiveSessionParts> = {
  ...SESSION_OPTIONS,
  settings: "object",
  trustWorkspace: "any",
  systemPrompt: "string",
  appendSystemPrompt: "string",
  builtInTools: "array",
  agents: "array",
  resumeSessionId: "string",
  forkSession: "boolean",
  mcpServers: "object",
  mcp: "object",
  commandSources: "array",
  queueLimit: "any",
  session: "object",
};
