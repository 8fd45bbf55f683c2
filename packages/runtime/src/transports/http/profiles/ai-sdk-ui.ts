import { defined } from "../../../defined.ts";
import type { SentFile } from "../../../interactive/attachments.ts";
import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import { aiSdkUiEncoder } from "../../ai-sdk-ui/encoder.ts";
import type { AiSdkUiChunk } from "../../ai-sdk-ui/chunks.ts";
import { messageAttachments } from "../body/message-attachments.ts";
import type { BodyLimits } from "../body/body-limits.ts";
import { readBody } from "../body/read-body.ts";
import type { Principal } from "../principal/principal.ts";
import { HttpProblem } from "../problem.ts";
import type { ChatBody, ChatMessage, ChatPart } from "./ai-sdk-ui-body.ts";
import { answerRequests } from "./answer-requests.ts";
import type { ClientMessage, PostContext, ProfileContext } from "./profile.ts";
import {
  followed,
  lastTurn,
  type ProfileFormat,
  submittedTurn,
  turnEvents,
} from "./profile-stream.ts";

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };
/** The client sends the whole conversation each time, of which only the end is used. */
const BODY_FACTOR = 16;

function formatFor({ sessionId }: InteractiveSession): ProfileFormat<AiSdkUiChunk> {
  return {
    encode: aiSdkUiEncoder(),
    resumed: ({ turnId }) => [
      { type: "start", messageId: turnId, messageMetadata: { sessionId, turnId } },
    ],
    paused: () => [{ type: "finish-step" }, { type: "finish", finishReason: "tool-calls" }],
    dropped: () => [
      { type: "abort", reason: "The message was dropped from the queue." },
      { type: "finish", finishReason: "interrupted" },
    ],
    done: "data: [DONE]\n\n",
  };
}

/** Answers `useChat`: a message begins a turn, answered approvals continue the open one. */
export async function post(
  request: Request,
  { session, principal, limits, stream, submit }: PostContext,
): Promise<Response> {
  const load = async () => (await import("./ai-sdk-ui-body.ts")).CHAT_BODY;
  const bodyBytes = limits.bodyBytes * BODY_FACTOR;
  const body: ChatBody = await readBody(request, { load }, { ...limits, bodyBytes });
  const messages = body.messages ?? (body.message ? [body.message] : []);
  const last = messages.at(-1);
  if (!last) throw unusable("It has no message.");
  const answered = await answer(
    session,
    principal,
    messages.findLast(({ role }) => role === "assistant"),
  );
  const format = formatFor(session);
  if (last.role === "assistant") {
    const turn = lastTurn(session);
    if (answered === undefined || turn?.turnId !== last.id)
      throw unusable("Its last message is neither a person's nor an answer to an approval.");
    return stream(
      session,
      (signal) => turnEvents(session, format, turn, { signal, known: [answered] }),
      HEADERS,
    );
  }
  if (session.pendingPermissions().length > 0) {
    throw new HttpProblem(409, "APPROVAL_PENDING", "A tool call waits for approval.", {
      hint: "Answer it with addToolApprovalResponse, or stop the turn with POST abort.",
    });
  }
  const message = await messageOf(last, limits);
  const isAgain = body.trigger === "regenerate-message" || body.messageId !== undefined;
  if (isAgain) await goBack(session, messages);
  const { taken, started } = await submit(message);
  await taken;
  return stream(session, (signal) => submittedTurn(session, format, started, signal), HEADERS);
}

/** Every event, also of later turns. */
export function follow({ session, stream }: ProfileContext, after: number): Response {
  return stream(session, (signal) => followed(session, formatFor(session), after, signal), HEADERS);
}

/** The open turn from its start, for a client that lost the stream or has just come. */
export function resume({ session, stream }: ProfileContext): Response {
  const turn = lastTurn(session);
  if (!turn) return new Response(null, { status: 204 });
  return stream(
    session,
    (signal) => turnEvents(session, formatFor(session), turn, { signal }),
    HEADERS,
  );
}

/** Passes a person's answers on to what waits for them. Returns the last request that the client knows. */
async function answer(
  session: InteractiveSession,
  principal: Principal,
  message: ChatMessage | undefined,
): Promise<string | undefined> {
  const approvals = (message?.parts ?? []).flatMap(({ state, approval }) =>
    approval && !approval.isAutomatic ? [{ ...approval, state }] : [],
  );
  const answers = approvals.flatMap(({ id, state, approved, reason }) =>
    state === "approval-responded" && approved !== undefined
      ? [{ id, answer: defined({ allow: approved, reason: reason || undefined }) }]
      : [],
  );
  await answerRequests(session, principal, answers);
  return approvals.at(-1)?.id;
}

/** The words and attachments of a person's message. @throws {HttpProblem} 422 for one without either */
async function messageOf(
  { parts }: ChatMessage,
  limits: BodyLimits,
): Promise<Pick<ClientMessage, "text" | "attachments">> {
  const text = parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  const files = await Promise.all(parts.filter(({ type }) => type === "file").map(fileOf));
  const attachments = await messageAttachments(files, limits);
  if (text === "" && !attachments) throw unusable("Its last message is empty.");
  return { text, attachments };
}

async function fileOf({ url = "", mediaType, filename: name }: ChatPart): Promise<SentFile> {
  const { fileOfDataUrl, refusedReference } = await import("../../../interactive/attachments.ts");
  const file = fileOfDataUrl(url);
  if (!file) throw refusedReference(`The url of ${name ?? "a file"}`);
  return { ...file, mediaType: mediaType ?? file.mediaType, name };
}

/** Goes back to where the client's conversation is: behind the turn of its last answer. */
async function goBack(
  session: InteractiveSession,
  messages: readonly ChatMessage[],
): Promise<void> {
  const turns = session.checkpoints().filter(({ kind }) => kind === "turn");
  const kept = messages.findLast(({ role }) => role === "assistant")?.id;
  const next = turns.findIndex(({ id }) => id === kept) + 1;
  const target = turns[next];
  if (target) await session.rewind(target.id, "conversation");
}

function unusable(reason: string): HttpProblem {
  return new HttpProblem(422, "VALIDATION_ERROR", `The body is invalid: ${reason}`, {
    hint: "Send what DefaultChatTransport of the AI SDK sends.",
  });
}
