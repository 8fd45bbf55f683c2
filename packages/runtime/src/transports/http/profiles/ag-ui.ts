import { defined } from "../../../defined.ts";
import type { SentFile } from "../../../interactive/attachments.ts";
import { isObject } from "../../../interactive/settings/settings-object.ts";
import { agUiEncoder } from "../../ag-ui/encoder.ts";
import type { AgUiEvent } from "../../ag-ui/events.ts";
import { messageAttachments } from "../body/message-attachments.ts";
import type { BodyLimits } from "../body/body-limits.ts";
import { readBody } from "../body/read-body.ts";
import type { EventSourceIterator } from "../event-stream.ts";
import { HttpProblem } from "../problem.ts";
import type { RunInput, RunPart } from "./ag-ui-body.ts";
import { answerRequests, type RequestAnswer } from "./answer-requests.ts";
import type { ClientMessage, PostContext, ProfileContext } from "./profile.ts";
import {
  blocksOf,
  followed,
  lastTurn,
  type ProfileFormat,
  submittedTurn,
  turnEvents,
} from "./profile-stream.ts";

/** The client sends the whole conversation each time, of which only the end is used. */
const BODY_FACTOR = 16;

function formatFor({ threadId, runId }: RunInput): ProfileFormat<AgUiEvent> {
  return {
    encode: agUiEncoder({ threadId, runId }),
    // The encoder itself ends a run at a question, and begins the next one behind it.
    resumed: () => [],
    paused: () => [],
    dropped: () => [
      { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" },
      { type: "RUN_FINISHED", threadId, runId, outcome: { type: "cancelled" } },
    ],
  };
}

/** Answers an AG-UI client: a message begins a turn, `resume` continues the open one. The same `runId` is done once. */
export async function post(
  request: Request,
  { session, principal, limits, stream, submit }: PostContext,
): Promise<Response> {
  const load = async () => (await import("./ag-ui-body.ts")).RUN_INPUT;
  const bodyBytes = limits.bodyBytes * BODY_FACTOR;
  const input: RunInput = await readBody(request, { load }, { ...limits, bodyBytes });
  const format = formatFor(input);
  const { resume = [], runId } = input;
  if (resume.length > 0) {
    const answers = await Promise.all(resume.map(answerOf));
    await answerRequests(session, principal, answers);
    const turn = lastTurn(session);
    if (!turn) throw unusable("`resume` names no question of this session.");
    const known = answers.map(({ id }) => id);
    return stream(session, (signal) => turnEvents(session, format, turn, { signal, known }));
  }
  const message = await messageOf(input, limits);
  let isHeld = false;
  const check = (): void => {
    isHeld = session.pendingPermissions().length > 0;
    if (isHeld) throw unusable("The session waits for answers.");
  };
  const key = `run ${runId}`;
  const submission = await submit({ ...message, key, check }).catch((error: unknown) => {
    if (!isHeld) throw error;
    return undefined;
  });
  if (!submission) return stream(session, () => heldRun(input));
  const { taken, started } = submission;
  await taken;
  return stream(session, (signal) => submittedTurn(session, format, started, signal));
}

/** A run that can't begin: AG-UI lets only a run that answers the open interrupts follow an interrupted one. */
async function* heldRun({ threadId, runId }: RunInput): EventSourceIterator {
  yield blocksOf([
    { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" },
    {
      type: "RUN_ERROR",
      code: "INTERRUPTS_OPEN",
      message:
        "The session waits for an approval. Answer each open interrupt in `resume`, then send the message.",
    },
  ] satisfies AgUiEvent[]);
}

/** Every event, also of later turns. */
export function follow({ session, stream }: ProfileContext, after: number): Response {
  return stream(session, (signal) => followed(session, { encode: agUiEncoder() }, after, signal));
}

async function answerOf({
  interruptId: id,
  status,
  payload,
}: NonNullable<RunInput["resume"]>[number]): Promise<RequestAnswer> {
  if (status === "cancelled")
    return { id, answer: { allow: false, reason: "The question was dismissed." } };
  const { ANSWER } = await import("./ag-ui-body.ts");
  const { success, data } = ANSWER.safeParse(payload);
  if (!success) throw unusable("The payload of an answer needs `approved`, true or false.");
  const { approved: allow, scope, reason, editedArgs: updatedArgs } = data;
  return {
    id,
    answer: defined({ allow, scope, reason: reason || undefined, updatedArgs }),
  };
}

/** The last message. @throws {HttpProblem} 422 for one that is not a person's, or has nothing that a session takes */
async function messageOf(
  { messages }: RunInput,
  limits: BodyLimits,
): Promise<Pick<ClientMessage, "text" | "attachments">> {
  const last = messages.at(-1);
  if (last?.role !== "user") throw unusable("Its last message is not a person's.");
  const { content = "" } = last;
  const parts = Array.isArray(content) ? content : [];
  const text =
    typeof content === "string" ? content : parts.map((part) => part.text ?? "").join("");
  const files = await Promise.all(parts.filter(({ type }) => type !== "text").map(fileOf));
  const attachments = await messageAttachments(files, limits);
  if (text === "" && !attachments) throw unusable("Its last message is empty.");
  return { text, attachments };
}

/** A part that is no text. Its name is where clients put it, in the metadata. */
async function fileOf({ type, source, metadata }: RunPart): Promise<SentFile> {
  const { fileOfDataUrl, refusedFile, refusedReference } =
    await import("../../../interactive/attachments.ts");
  if (!source) throw refusedFile(`A part of the type ${type} has no source.`);
  const { type: kind, value, mimeType: mediaType } = source;
  const file = kind === "data" ? { data: value, mediaType } : fileOfDataUrl(value);
  if (!file) throw refusedReference(`The source of a part of the type ${type}`);
  const { filename: name } = isObject(metadata) ? metadata : {};
  return typeof name === "string" ? { ...file, name } : file;
}

function unusable(reason: string): HttpProblem {
  return new HttpProblem(422, "VALIDATION_ERROR", `The body is invalid: ${reason}`, {
    hint: "Send the RunAgentInput of AG-UI 1.0.",
  });
}
