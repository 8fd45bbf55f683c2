import type { Part } from "../../messages/message.ts";
import { ToolFailure, settle } from "../failure.ts";
import { realPath, remember } from "../files/known-files.ts";
import { locate, readBytes } from "../files/locate.ts";
import {
  decodeText,
  encodeText,
  imageType,
  isBinary,
  textForm,
  toBase64,
} from "../files/text-file.ts";
import { count, counted, cutEnd } from "../text-limit.ts";
import { defineTool, type ToolContext, type ToolResult } from "../tool.ts";

const DEFAULT_LINES = 2000;
const MAX_LINE_LENGTH = 2000;
/** Characters of one answer; what is beyond is read with `offset`. */
const MAX_CHARACTERS = 100_000;
/** More can't be shown: a line takes eight characters even when it is empty. */
const MAX_LINES = MAX_CHARACTERS / 8;
const MAX_FILE_BYTES = 50_000_000;
/** What models accept as one image, before base64 makes it a third larger. */
const MAX_IMAGE_BYTES = 3_750_000;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

type ReadArgs = {
  filePath: string;
  offset?: number;
  limit?: number;
};

/** Shows a file to the model: text with line numbers, or an image. */
export const readTool = defineTool<ReadArgs>({
  name: "Read",
  description: `Reads a file and shows its text with line numbers (number, tab, line), ${DEFAULT_LINES} lines from the start unless told otherwise. Images (PNG, JPEG, GIF, WebP) are shown as images. Prefer reading a whole file over many small parts; use offset and limit for large files. A file must be read before Edit or Write may change it.`,
  parameters: {
    type: "object",
    properties: {
      filePath: {
        type: "string",
        minLength: 1,
        description: "Path of the file, absolute or from the working directory",
      },
      offset: { type: "integer", minimum: 1, description: "First line to show, from 1" },
      limit: { type: "integer", minimum: 1, description: "How many lines to show" },
    },
    required: ["filePath"],
    additionalProperties: false,
  },
  access: "read",
  limitsOutput: true,
  patternArgument: "filePath",
  execute: (args, context) => settle(() => read(args, context)),
});

async function read(args: ReadArgs, context: ToolContext): Promise<ToolResult> {
  const path = locate(context, args.filePath);
  const bytes = await readBytes(context, path, MAX_FILE_BYTES);
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) return imageResult(path, mediaType, bytes);
  if (isBinary(bytes)) throw binaryFile(path, bytes);
  // Lines are found in bytes and only those shown are decoded; other encodings than UTF-8 are rare and take a detour.
  const { encoding, bom } = textForm(bytes);
  const plain = encoding === "utf-8" ? bytes.subarray(bom ? 3 : 0) : asUtf8(bytes);
  const result = textResult(path, plain, args);
  await remember(context, await realPath(context.platform.fs, path), bytes);
  return result;
}

function textResult(
  path: string,
  bytes: Uint8Array,
  { offset = 1, limit = DEFAULT_LINES }: ReadArgs,
): ToolResult {
  if (bytes.length === 0) {
    return { success: true, output: `(${path} is empty.)`, data: { path, lines: 0 } };
  }
  const { lines, total } = linesOf(bytes, offset, Math.min(limit, MAX_LINES));
  if (offset > total) {
    throw new ToolFailure("out_of_range", `${path} has only ${counted(total, "line")}.`, {
      hint: `Read it with an offset of up to ${total}.`,
    });
  }
  const shown: string[] = [];
  let characters = 0;
  for (const [index, bounds] of lines.entries()) {
    const text = `${String(offset + index).padStart(6)}\t${showLine(bytes, bounds)}`;
    characters += text.length + 1;
    if (characters > MAX_CHARACTERS && index > 0) break;
    shown.push(text);
  }
  const last = offset - 1 + shown.length;
  const notes = [];
  if (last < total) {
    notes.push(
      `(Lines ${count(offset)} to ${count(last)} of ${count(total)}. Go on with offset ${last + 1}.)`,
    );
  }
  if (shown.some((line) => line.includes("\ufffd")) && decodeText(bytes)?.exact === false) {
    notes.push("(Bytes that are not UTF-8 are shown as \ufffd; Edit can't change this file.)");
  }
  const output = [shown.join("\n"), ...notes].join("\n\n");
  return { success: true, output, startLine: offset, data: { path, lines: total } };
}

interface Bounds {
  start: number;
  /** Before the line ending. */
  end: number;
}

/** Where `limit` lines from line `offset` are, and how many lines there are at all. */
function linesOf(
  bytes: Uint8Array,
  offset: number,
  limit: number,
): { lines: Bounds[]; total: number } {
  const lines: Bounds[] = [];
  let total = 0;
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed === -1 ? bytes.length : feed;
    total += 1;
    if (total >= offset && lines.length < limit) lines.push({ start, end });
    start = end + 1;
  }
  return { lines, total };
}

function showLine(bytes: Uint8Array, { start, end }: Bounds): string {
  const visible = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  // A line can be the whole of a large file: no more of it is decoded than can be needed.
  const decoded = utf8.decode(
    bytes.subarray(start, Math.min(visible, start + 4 * MAX_LINE_LENGTH)),
  );
  if (decoded.length <= MAX_LINE_LENGTH) return decoded;
  const shown = cutEnd(decoded, MAX_LINE_LENGTH);
  const left = visible - start - new TextEncoder().encode(shown).length;
  return `${shown} [… ${count(left)} more bytes]`;
}

function asUtf8(bytes: Uint8Array): Uint8Array {
  return encodeText(decodeText(bytes)?.text ?? "", { encoding: "utf-8", bom: false });
}

function imageResult(path: string, mediaType: string, bytes: Uint8Array): ToolResult {
  const size = `${count(bytes.length)} bytes`;
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new ToolFailure("too_large", `${path} is an image of ${size}, too large to show.`, {
      hint: `Images of up to ${count(MAX_IMAGE_BYTES)} bytes can be shown: scale it down first.`,
    });
  }
  const output: Part[] = [
    { type: "text", text: `${path} (${mediaType}, ${size})` },
    { type: "image", mediaType, data: toBase64(bytes) },
  ];
  return { success: true, output, data: { mediaType, bytes: bytes.length, path } };
}

function binaryFile(path: string, bytes: Uint8Array): ToolFailure {
  return new ToolFailure("binary", `${path} is a binary file of ${count(bytes.length)} bytes.`, {
    hint: "Read shows text and images. Bash may have a program for it, such as file, od or strings.",
  });
}
