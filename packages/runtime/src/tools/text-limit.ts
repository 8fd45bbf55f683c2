import { errorMessage } from "../errors.ts";
import { sessionState } from "./session-state.ts";
import { count, cutEnd, cutStart } from "./text-cut.ts";
import type { ToolContext } from "./tool.ts";

/** Characters (UTF-16 code units) of one tool result that a model is shown. */
export const OUTPUT_LIMIT = 30_000;

/** A text of at most `limit` characters unchanged; of a longer one the head and the tail, with a note between them. */
export function headAndTail(text: string, limit: number, note = ""): string {
  if (text.length <= limit) return text;
  const head = cutEnd(text, Math.ceil(limit / 2));
  const tail = cutStart(text, Math.floor(limit / 2));
  const omitted = text.length - head.length - tail.length;
  return `${head}\n\n[… ${count(omitted)} characters left out${note && `; ${note}`} …]\n\n${tail}`;
}

/** A line of at most `limit` characters; a longer one is cut around `focus`, an index that stays visible. */
export function cutLine(line: string, limit: number, focus = 0): string {
  if (line.length <= limit) return line;
  const from = Math.max(0, Math.min(focus - Math.floor(limit / 4), line.length - limit));
  const before = line.length - cutStart(line, line.length - from).length;
  const shown = cutEnd(line.slice(before), limit);
  const after = line.length - before - shown.length;
  const head = before > 0 ? `[… ${count(before)} characters] ` : "";
  return `${head}${shown}${after > 0 ? ` [… ${count(after)} more characters]` : ""}`;
}

/** `1 file`, `2 files`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

export interface BoundedText {
  text: string;
  /** File with the whole text, when `text` is truncated. */
  file?: string;
}

/**
 * Output in a size for the model: over `OUTPUT_LIMIT` characters the head and the tail stay, and the whole text goes to a
 * file, which the text names. When that file can't be written, the text says so.
 */
export async function boundOutput(
  text: string,
  context: Pick<ToolContext, "platform" | "state" | "toolCallId">,
): Promise<BoundedText> {
  if (text.length <= OUTPUT_LIMIT) return { text };
  try {
    const file = await keepOutput(text, context);
    const note = `all ${counted(text.split("\n").length, "line")} are in ${file}, which Read opens`;
    return { text: headAndTail(text, OUTPUT_LIMIT, note), file };
  } catch (error) {
    const note = `the whole output could not be saved: ${errorMessage(error)}`;
    return { text: headAndTail(text, OUTPUT_LIMIT, note) };
  }
}

async function keepOutput(
  text: string,
  context: Pick<ToolContext, "platform" | "state" | "toolCallId">,
): Promise<string> {
  return openOutputFile(context, context.toolCallId.replaceAll(/[^\w-]/g, "_"), text);
}

/** Makes a file for output that only this user can read, and gives its path. */
export async function openOutputFile(
  { platform, state }: Pick<ToolContext, "platform" | "state">,
  name: string,
  text = "",
): Promise<string> {
  // Others of the machine may use /tmp: the name can't be guessed, and the directory is closed before anything is in it.
  const directory = sessionState(
    { state },
    "outputDirectory",
    () => `/tmp/robota-${platform.randomUUID()}`,
  );
  await platform.fs.mkdir(directory, { recursive: true });
  await platform.fs.chmod(directory, 0o700);
  const file = `${directory}/${name.slice(0, 100)}.txt`;
  await platform.fs.writeFile(file, text);
  return file;
}
