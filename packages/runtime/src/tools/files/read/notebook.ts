import type { ImagePart, Part } from "../../../messages/message.ts";
import { ToolFailure } from "../../failure.ts";
import { count, cutEnd } from "../../text-cut.ts";
import { counted, headAndTail } from "../../text-limit.ts";

const MAX_CHARACTERS = 100_000;
const MAX_SOURCE_CHARACTERS = 20_000;
const MAX_OUTPUT_CHARACTERS = 4000;
const MAX_IMAGES = 8;
/** Base64 characters of one image that models accept. */
const MAX_IMAGE_LENGTH = 5_000_000;

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** `ESC [ … m`: tracebacks are coloured. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");

/**
 * Makes sure that a changed notebook is still valid.
 * @throws {ToolFailure} `invalid_notebook` with the problem
 */
export function requireNotebook(path: string, text: string): void {
  let problem = "it has no list of cells";
  try {
    if (cellsOf(JSON.parse(text))) return;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    problem = error.message;
  }
  throw new ToolFailure("invalid_notebook", `${path} would no longer be a notebook: ${problem}.`, {
    hint: "A notebook is JSON: each line of a cell's source is a JSON string, with quotes and backslashes escaped and a comma after it. Read the part with offset and limit to see it.",
  });
}

/** The cells of a notebook with their outputs, long ones truncated; `undefined` for other text. */
export function showNotebook(path: string, text: string): Part[] | undefined {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch {
    // The caller shows it as plain text.
    return undefined;
  }
  const cells = cellsOf(notebook);
  if (!cells) return undefined;
  const images: ImagePart[] = [];
  const shown: string[] = [];
  let characters = 0;
  for (const [index, cell] of cells.entries()) {
    const block = showCell(index + 1, cell, images);
    characters += block.length;
    if (characters > MAX_CHARACTERS && index > 0) break;
    shown.push(cutEnd(block, MAX_CHARACTERS));
  }
  const left = cells.length - shown.length;
  const blocks = [
    `${path}: a notebook of ${counted(cells.length, "cell")}.`,
    ...shown,
    ...(left > 0 ? [`(${counted(left, "more cell")}; Grep finds text in them.)`] : []),
    "(Edit works on the notebook's JSON: Read shows it with offset and limit.)",
  ];
  return [{ type: "text", text: blocks.join("\n\n").toWellFormed() }, ...images];
}

function cellsOf(notebook: unknown): unknown[] | undefined {
  const cells = isRecord(notebook) ? notebook.cells : undefined;
  return Array.isArray(cells) ? cells : undefined;
}

function showCell(number: number, cell: unknown, images: ImagePart[]): string {
  if (!isRecord(cell)) return `[Cell ${number}: not readable]`;
  const type = typeof cell.cell_type === "string" ? cell.cell_type : "unknown";
  const run = typeof cell.execution_count === "number" ? `, run ${cell.execution_count}` : "";
  const source = headAndTail(joined(cell.source), MAX_SOURCE_CHARACTERS);
  const outputs = Array.isArray(cell.outputs) ? cell.outputs : [];
  return [
    `[Cell ${number}: ${type}${run}]`,
    ...(source === "" ? [] : [source]),
    ...outputs.flatMap((output) => showOutput(output, images)),
  ].join("\n");
}

function showOutput(output: unknown, images: ImagePart[]): string[] {
  if (!isRecord(output)) return [];
  if (typeof output.output_type !== "string") return [];
  if (output.output_type === "stream") {
    const name = typeof output.name === "string" ? output.name : "stream";
    return [`[Output: ${name}]`, bounded(joined(output.text))];
  }
  if (output.output_type === "error") {
    const trace = Array.isArray(output.traceback) ? output.traceback : [];
    const text = trace.filter((line) => typeof line === "string").join("\n");
    return [
      "[Output: error]",
      bounded(text || `${String(output.ename)}: ${String(output.evalue)}`),
    ];
  }
  return isRecord(output.data) ? showData(output.data, images) : [];
}

/**
 * One result in several representations: shows the image and the plain text; other forms say the same at greater
 * length.
 */
function showData(data: Record<string, unknown>, images: ImagePart[]): string[] {
  const shown: string[] = [];
  for (const mediaType of IMAGE_TYPES) {
    if (!(mediaType in data)) continue;
    const base64 = joined(data[mediaType]).replaceAll(/\s/g, "");
    const size = `${mediaType}, ${count(Math.floor((base64.length * 3) / 4))} bytes`;
    if (images.length < MAX_IMAGES && base64 !== "" && base64.length <= MAX_IMAGE_LENGTH) {
      images.push({ type: "image", mediaType, data: base64 });
      shown.push(`[Output: ${size}, image ${images.length} below]`);
    } else {
      shown.push(`[Output: ${size}, not shown]`);
    }
  }
  const form = ["text/plain", "text/markdown", "text/html"].find((type) => type in data);
  if (form) shown.push("[Output]", bounded(joined(data[form])));
  else if (shown.length === 0) shown.push(`[Output: ${Object.keys(data).join(", ")}, not shown]`);
  return shown;
}

function bounded(text: string): string {
  return headAndTail(text.replaceAll(COLOURS, "").trimEnd(), MAX_OUTPUT_CHARACTERS);
}

/** The format has texts as one string or as a list of lines. */
function joined(text: unknown): string {
  if (typeof text === "string") return text;
  return Array.isArray(text) ? text.filter((line) => typeof line === "string").join("") : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
