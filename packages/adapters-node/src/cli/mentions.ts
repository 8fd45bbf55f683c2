import { open } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import type { Attachment } from "@robota/runtime/sessions";

/** A prompt with the files that its words refer to. */
export interface PromptWithFiles {
  /** The prompt, and behind it the text files. */
  text: string;
  /** The prompt as a person reads it; absent when that is the same. */
  shown: string | undefined;
  attachments: Attachment[];
}

const IMAGES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const PDF = "application/pdf";

/** What services of models accept at most, in bytes: https://docs.claude.com/en/docs/build-with-claude/vision#evaluate-image-size */
const MAX_ATTACHMENT = 5_000_000;
/** Longer files stay a name in the prompt, which the model reads with its tools. */
const MAX_TEXT = 100_000;

/** Adds the files that a prompt names as `@path`: images and PDFs as attachments, text behind the prompt. Other `@` words stay as they are. */
export async function withMentions(
  prompt: string,
  cwd: string | undefined,
): Promise<PromptWithFiles> {
  const attachments: Attachment[] = [];
  const texts: string[] = [];
  if (cwd !== undefined) {
    for (const path of mentionedPaths(prompt)) {
      const file = await readMentioned(path, cwd);
      if (typeof file === "string") texts.push(file);
      else if (file) attachments.push(file);
    }
  }
  if (texts.length === 0) return { text: prompt, shown: undefined, attachments };
  return { text: [prompt, ...texts].join("\n\n"), shown: prompt, attachments };
}

function mentionedPaths(prompt: string): Set<string> {
  const found = [...prompt.matchAll(/(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g)];
  return new Set(found.map(([, quoted, plain = ""]) => quoted ?? plain));
}

/** Reads a file; nothing when there is none, or it is too large. */
async function readMentioned(path: string, cwd: string): Promise<Attachment | string | undefined> {
  const bytes =
    (await readUpTo(resolve(cwd, path), MAX_ATTACHMENT)) ??
    // The end of a sentence is no part of the name.
    (await readUpTo(resolve(cwd, path.replace(/[.,;:!?)]+$/, "")), MAX_ATTACHMENT));
  if (!bytes) return undefined;
  const name = basename(path);
  const mediaType = IMAGES[extname(path).toLowerCase()];
  if (mediaType !== undefined) return { type: "image", mediaType, data: bytes.toString("base64") };
  if (bytes.subarray(0, 5).toString("latin1") === "%PDF-")
    return { type: "file", mediaType: PDF, data: bytes.toString("base64"), name };
  // A file with a zero byte is no text.
  if (bytes.length > MAX_TEXT || bytes.includes(0)) return undefined;
  const text = bytes.toString("utf8").trimEnd();
  const fence = fenceFor(text);
  return `${path}:\n${fence}\n${text}\n${fence}`;
}

/** Longer than any run of backticks in the text, so that nothing in it ends the block. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
}

async function readUpTo(path: string, limit: number): Promise<Buffer | undefined> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    return size > limit ? undefined : await file.readFile();
  } catch {
    // Not a file of this machine: an `@` may mean anything.
    return undefined;
  }
}
