import type { JsonObject } from "../../messages/message.ts";
import type { PermissionRequest } from "../../session/log/events.ts";
import type { AgUiInterrupt } from "./events.ts";

/** The form of an answer: the payload of a `resume` entry. */
const ANSWER_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    scope: { enum: ["once", "turn", "session", "workspace"] },
    reason: { type: "string" },
    editedArgs: { type: "object" },
  },
  required: ["approved"],
};

export function interruptOf(request: PermissionRequest): AgUiInterrupt {
  const { id, toolCallId, reason: message, ...facts } = request;
  return {
    id,
    reason: "tool_call",
    message: `${facts.tool}: ${message}`,
    toolCallId,
    responseSchema: ANSWER_SCHEMA,
    metadata: JSON.parse(JSON.stringify(facts)) as JsonObject,
  };
}
