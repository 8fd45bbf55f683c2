import { RobotaError } from "../../errors.ts";
import {
  OWN_CLIENT_LIMITS,
  readAttachments,
  type SentFile,
} from "../../interactive/attachments.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import { type Client, runTurn } from "./run-turn.ts";

const TASK = {
  type: "object",
  properties: {
    text: { type: "string", description: "The task, in plain words." },
    attachments: {
      type: "array",
      maxItems: 20,
      items: {
        type: "object",
        properties: {
          data: { type: "string", description: "The bytes in Base64." },
          mediaType: { type: "string", description: "Such as image/png." },
          name: { type: "string" },
        },
        required: ["data"],
      },
      description: "PNG, JPEG, GIF and WebP images, PDF documents and texts.",
    },
  },
  required: ["text"],
} as const;

/** Adds the tool that gives the session a prompt. */
export function addSubmitTool(session: InteractiveSession, ask: Omit<Client, "context">): void {
  const { sdk, server } = ask;
  server.registerTool(
    "submit",
    {
      title: "Give the agent a task",
      description:
        "Sends a prompt to the agent's session and answers with its final words. Its progress comes as notifications; it may ask for permission meanwhile.",
      inputSchema: sdk.fromJsonSchema<{ text: string; attachments?: SentFile[] }>(TASK),
      annotations: { destructiveHint: true, openWorldHint: true },
    },
    ({ text, attachments: files = [] }, context) =>
      runTurn(session, { ...ask, context }, async (options) =>
        session.submit(text, { ...options, attachments: read(files) }),
      ).catch((error: unknown) => {
        if (!(error instanceof RobotaError)) throw error;
        const words = `${error.message} ${error.hint}`.trim();
        return { content: [{ type: "text", text: words }], isError: true };
      }),
  );
}

function read(files: readonly SentFile[]) {
  return files.length > 0 ? readAttachments(files, OWN_CLIENT_LIMITS) : undefined;
}
