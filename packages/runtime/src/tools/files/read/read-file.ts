import type { Part } from "../../../messages/message.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import { basename } from "../../../ports/path.ts";
import { ToolFailure } from "../../failure.ts";
import { remember } from "../edit/known-files.ts";
import { locate } from "../locate.ts";
import { openFile, readWhole, tooLarge } from "./open-file.ts";
import { createPacer } from "../pacer.ts";
import { showText } from "./show-text.ts";
import {
  decodeText,
  encodeText,
  foreignEncoding,
  imageType,
  isBinary,
  isPdf,
  textForm,
  toBase64,
} from "../text-file.ts";
import { count } from "../../text-cut.ts";
import type { ToolContext, ToolResult } from "../../tool.ts";
import { DEFAULT_LINES, MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES } from "../../tool-limits.ts";

/** Size up to which a file is read at once and its lines are counted. */
const MAX_WHOLE_BYTES = 50_000_000;
const PIECE_BYTES = 1_000_000;

export type ReadArgs = {
  filePath: string;
  offset?: number;
  limit?: number;
};

/** Runs the Read tool. */
export async function readFile(args: ReadArgs, context: ToolContext): Promise<ToolResult> {
  const path = locate(context, args.filePath);
  await using file = await openFile(context, path);
  if (file.size > MAX_WHOLE_BYTES) return await readPart(path, file, args, context);
  const bytes = await readWhole(file);
  const result = await showWhole(path, bytes, args, context);
  await remember(context, file.path, bytes);
  return result;
}

async function showWhole(
  path: string,
  bytes: Uint8Array,
  args: ReadArgs,
  context: ToolContext,
): Promise<ToolResult> {
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) return imageResult(path, mediaType, bytes);
  if (isPdf(bytes)) return documentResult(path, bytes);
  if (isBinary(bytes)) throw binaryFile(path, bytes, bytes.length);
  const wholeFile = args.offset === undefined && args.limit === undefined;
  return (
    (wholeFile && (await notebookResult(path, bytes))) || textResult(path, bytes, args, context)
  );
}

async function textResult(
  path: string,
  bytes: Uint8Array,
  { offset = 1, limit = DEFAULT_LINES }: ReadArgs,
  { signal }: ToolContext,
): Promise<ToolResult> {
  // Lines are split as bytes and only visible ones decoded; other encodings than UTF-8 are rare and take a detour.
  const { encoding, bom } = textForm(bytes);
  const plain = encoding === "utf-8" ? bytes.subarray(bom ? 3 : 0) : asUtf8(bytes);
  if (plain.length === 0) {
    return { success: true, output: `(${path} is empty.)`, data: { path, lines: 0 } };
  }
  const options = { offset, limit, countAll: true, pace: createPacer(signal) };
  const { text, last, total = last } = await showText(path, piecesOf(plain), options);
  const notes = [];
  if (last < total) {
    notes.push(
      `(Lines ${count(offset)} to ${count(last)} of ${count(total)}. Go on with offset ${last + 1}.)`,
    );
  }
  if (text.includes("\ufffd") && decodeText(bytes)?.exact === false) {
    const name = encoding === "utf-8" ? "UTF-8" : "UTF-16";
    notes.push(`(Bytes that are not ${name} are shown as \ufffd; Edit can't change this file.)`);
  }
  const output = [text, ...notes].join("\n\n");
  return { success: true, output, startLine: offset, data: { path, lines: total } };
}

/** A part of a file that is too large to be read at once. */
async function readPart(
  path: string,
  file: OpenFile,
  { offset = 1, limit = DEFAULT_LINES }: ReadArgs,
  { platform, signal }: ToolContext,
): Promise<ToolResult> {
  if (!platform.fs.open) throw tooLarge(path, file.size, MAX_WHOLE_BYTES);
  const start = await file.read(0, PIECE_BYTES);
  if (imageType(start) !== undefined) throw tooLarge(path, file.size, MAX_IMAGE_BYTES);
  if (isPdf(start)) throw tooLarge(path, file.size, MAX_DOCUMENT_BYTES);
  const { encoding, bom } = textForm(start);
  if (isBinary(start)) throw binaryFile(path, start, file.size);
  if (encoding !== "utf-8") throw tooLarge(path, file.size, MAX_WHOLE_BYTES);
  const options = { offset, limit, countAll: false, pace: createPacer(signal) };
  const shown = await showText(path, piecesIn(file, bom ? 3 : 0), options);
  const end =
    shown.total === shown.last
      ? []
      : [
          `(Lines ${count(offset)} to ${count(shown.last)} of a file of ${count(file.size)} bytes. Go on with offset ${shown.last + 1}, or find the place with Bash.)`,
        ];
  const output = [shown.text, ...end].join("\n\n");
  return { success: true, output, startLine: offset, data: { path, bytes: file.size } };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

async function* piecesIn(file: OpenFile, from: number): AsyncGenerator<Uint8Array> {
  for (let at = from; ;) {
    const piece = await file.read(at, PIECE_BYTES);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

function asUtf8(bytes: Uint8Array): Uint8Array {
  return encodeText(decodeText(bytes)?.text ?? "", { encoding: "utf-8", bom: false });
}

async function notebookResult(path: string, bytes: Uint8Array): Promise<ToolResult | undefined> {
  if (!path.toLowerCase().endsWith(".ipynb")) return undefined;
  const { showNotebook } = await import("./notebook.ts");
  const output = showNotebook(path, decodeText(bytes)?.text ?? "");
  return output && { success: true, output, data: { path, bytes: bytes.length } };
}

function imageResult(path: string, mediaType: string, bytes: Uint8Array): ToolResult {
  requireSize(path, "an image", bytes, MAX_IMAGE_BYTES, "scale it down first");
  const output: Part[] = [
    { type: "text", text: `${path} (${mediaType}, ${count(bytes.length)} bytes)` },
    { type: "image", mediaType, data: toBase64(bytes) },
  ];
  return { success: true, output, data: { mediaType, bytes: bytes.length, path } };
}

function documentResult(path: string, bytes: Uint8Array): ToolResult {
  requireSize(
    path,
    "a PDF document",
    bytes,
    MAX_DOCUMENT_BYTES,
    "take the text or pages out first",
  );
  const mediaType = "application/pdf";
  const output: Part[] = [
    { type: "text", text: `${path} (${mediaType}, ${count(bytes.length)} bytes)` },
    { type: "file", mediaType, data: toBase64(bytes), name: basename(path) },
  ];
  return { success: true, output, data: { mediaType, bytes: bytes.length, path } };
}

function requireSize(
  path: string,
  what: string,
  { length }: Uint8Array,
  limit: number,
  advice: string,
): void {
  if (length <= limit) return;
  const message = `${path} is ${what} of ${count(length)} bytes, too large to show.`;
  throw new ToolFailure("too_large", message, {
    hint: `Up to ${count(limit)} bytes can be shown: ${advice}, with a program that Bash may have.`,
  });
}

function binaryFile(path: string, start: Uint8Array, size: number): ToolFailure {
  const encoding = foreignEncoding(start);
  if (encoding !== undefined) {
    return new ToolFailure("binary", `${path} seems to be a text in ${encoding}.`, {
      hint: `Read shows UTF-8, and UTF-16 with a byte order mark. Convert a copy with Bash: iconv -f ${encoding} -t UTF-8.`,
    });
  }
  return new ToolFailure("binary", `${path} is a binary file of ${count(size)} bytes.`, {
    hint: "Read shows text, images and PDF documents. Bash may have a program for it, such as file, od or strings.",
  });
}
