import { FileSystemError } from "../../errors.ts";
import type { Attachment, Content, FilePart } from "../../messages/message.ts";
import { NAMED_TOOLS } from "../../permissions/rules/tool-names.ts";
import type { Platform } from "../../ports/platform.ts";
import { isVisible } from "../../tools/files/access.ts";
import { remember } from "../../tools/files/edit/known-files.ts";
import { locate } from "../../tools/files/locate.ts";
import { openFile, readWhole } from "../../tools/files/read/open-file.ts";
import { decodeText, imageType, isPdf, toBase64 } from "../../tools/files/text-file.ts";
import { ToolFailure } from "../../tools/failure.ts";
import { count } from "../../tools/text-cut.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { resolvePath } from "../../ports/path.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { SessionMemory } from "../state/memory.ts";
import type { SessionState } from "../state/state.ts";
import { mentionsIn } from "./mention-words.ts";
import { MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES } from "../../tools/tool-limits.ts";

const MAX_MENTIONS = 10;
/** About 12,000 tokens. Of a longer text the beginning is sent; the model reads on with Read. */
const MAX_CHARACTERS = 50_000;
/** The same for all of a prompt. */
const MAX_CHARACTERS_TOGETHER = 150_000;
/** Size up to which a text is decoded to send its beginning. */
const MAX_TEXT_BYTES = 5_000_000;
const MAX_LISTED = 200;
/** Distinguishes an attachment that a mention made from one that a person sent along. */
const SIGN = "@";

const [READ, LIST] = NAMED_TOOLS;

export interface MentionParts {
  readonly sessionId: string;
  readonly platform: Platform;
  readonly state: SessionState;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly approvals: Approvals;
  readonly toolState: Map<string, unknown>;
  readonly memory: SessionMemory;
}

/**
 * Adds the files and directories that a prompt mentions as `@path`, if the session could read them without approval. Any
 * other mention stays a word: the model may still call Read, and that call is judged like all others.
 */
export async function attachMentions(
  parts: MentionParts,
  content: Content,
  { prompt, signal }: { prompt: string; signal: AbortSignal },
): Promise<Content> {
  const names = mentionsIn(prompt).slice(0, MAX_MENTIONS);
  const given = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  // A prompt that is sent again brings the files along as they were; those of now count.
  const mentioned = new Set(names.map((name) => SIGN + name));
  const own = given.filter(
    (part) => (part.type !== "image" && part.type !== "file") || !mentioned.has(part.name ?? ""),
  );
  const context = contextFor(parts, signal);
  const found: Attachment[] = [];
  let room = MAX_CHARACTERS_TOGETHER;
  for (const name of names) {
    const attachment = await attachmentOf(parts, context, { name, room });
    if (!attachment) continue;
    found.push(attachment);
    if (isText(attachment)) room -= Math.ceil(attachment.data.length * 0.75);
  }
  return found.length === 0 && own.length === given.length ? content : [...own, ...found];
}

function isText(part: Attachment): part is FilePart {
  return part.type === "file" && part.mediaType.startsWith("text/");
}

interface Wanted {
  name: string;
  /** Characters that the prompt's texts may still have. */
  room: number;
}

async function attachmentOf(
  parts: MentionParts,
  context: ToolContext,
  wanted: Wanted,
): Promise<Attachment | undefined> {
  const path = locate(context, wanted.name);
  try {
    const { type } = await context.platform.fs.stat(path);
    if (type === "directory")
      return (await isAllowed(parts, context, LIST, { pattern: "*", path }))
        ? await listing(context, path, wanted.name)
        : undefined;
    return (await isAllowed(parts, context, READ, { filePath: path }))
      ? await fileAt(context, path, wanted)
      : undefined;
  } catch (error) {
    // Neither a missing file nor one that can't be read keeps a prompt from being sent.
    if (error instanceof FileSystemError || error instanceof ToolFailure) return undefined;
    throw error;
  }
}

async function isAllowed(
  { approvals, tools }: MentionParts,
  context: ToolContext,
  name: string,
  args: Record<string, string>,
): Promise<boolean> {
  const tool = tools.get(name);
  if (!tool) return false;
  const { decision } = await approvals.rules.explainOnFiles(tool, args, context);
  return decision === "auto";
}

async function fileAt(
  context: ToolContext,
  path: string,
  { name, room }: Wanted,
): Promise<Attachment | undefined> {
  await using file = await openFile(context, path);
  if (file.size > MAX_DOCUMENT_BYTES) return undefined;
  const bytes = await readWhole(file);
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) {
    if (bytes.length > MAX_IMAGE_BYTES) return undefined;
    return { type: "image", mediaType, data: toBase64(bytes), name: SIGN + name };
  }
  if (isPdf(bytes))
    return {
      type: "file",
      mediaType: "application/pdf",
      data: toBase64(bytes),
      name: SIGN + name,
    };
  if (bytes.length > MAX_TEXT_BYTES) return undefined;
  const decoded = decodeText(bytes);
  const limit = Math.min(MAX_CHARACTERS, room);
  if (!decoded || limit <= 0) return undefined;
  const shown = beginning(decoded.text, limit);
  // Edit asks whether the model has seen the present content.
  if (shown === decoded.text && decoded.exact) await remember(context, file.path, bytes);
  return textFile(name, shown);
}

/** The whole lines that fit, with a note for the model where some are missing. */
function beginning(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf("\n", limit) + 1 || limit;
  const shown = text.slice(0, end).toWellFormed();
  return `${shown}\n(The first ${count(end)} of ${count(text.length)} characters. Read shows the rest.)`;
}

async function listing(context: ToolContext, path: string, name: string): Promise<FilePart> {
  const { fs } = context.platform;
  const [entries, real] = await Promise.all([fs.readdir(path), fs.realpath(path)]);
  const names = entries
    .filter((entry) =>
      isVisible(context, resolvePath(path, entry.name), resolvePath(real, entry.name)),
    )
    .map((entry) => (entry.type === "directory" ? `${entry.name}/` : entry.name));
  const more = names.length > MAX_LISTED ? [`(and ${count(names.length - MAX_LISTED)} more)`] : [];
  return textFile(name, [...names.slice(0, MAX_LISTED), ...more].join("\n"));
}

function textFile(name: string, text: string): FilePart {
  const data = toBase64(new TextEncoder().encode(text));
  return { type: "file", mediaType: "text/plain", data, name: SIGN + name };
}

function contextFor(parts: MentionParts, signal: AbortSignal): ToolContext {
  const { sessionId, platform, state, toolState, memory, approvals } = parts;
  const call = { id: "mention", name: READ, args: {} };
  return {
    platform,
    cwd: state.cwd,
    signal,
    toolCallId: call.id,
    ownerPath: [{ ownerType: "session", ownerId: sessionId }],
    emit: () => undefined,
    state: toolState,
    memory,
    rules: approvals.rules.accessRules(call, { platform }),
  };
}
