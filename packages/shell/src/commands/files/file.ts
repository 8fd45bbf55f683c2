import { decodeText } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { greatest } from "../../greatest.ts";

interface Kind {
  words: string;
  mime: string;
}

/** Magic bytes of well-known formats. */
const signatures: readonly (readonly [signature: string, words: string, mime: string])[] = [
  ["\x89PNG\r\n\x1a\n", "PNG image data", "image/png"],
  ["\xff\xd8\xff", "JPEG image data", "image/jpeg"],
  ["GIF8", "GIF image data", "image/gif"],
  ["%PDF-", "PDF document", "application/pdf"],
  ["PK\x03\x04", "Zip archive data", "application/zip"],
  ["\x1f\x8b", "gzip compressed data", "application/gzip"],
  ["BZh", "bzip2 compressed data", "application/x-bzip2"],
  ["\xfd7zXZ\0", "XZ compressed data", "application/x-xz"],
  ["\x7fELF", "ELF", "application/x-executable"],
  ["\0asm", "WebAssembly (wasm) binary module", "application/wasm"],
  ["SQLite format 3\0", "SQLite 3.x database", "application/vnd.sqlite3"],
  ["wOFF", "Web Open Font Format", "font/woff"],
];

const interpreters: readonly (readonly [pattern: RegExp, words: string, mime: string])[] = [
  [/\bbash\b/, "Bourne-Again shell script", "text/x-shellscript"],
  [/\b(?:da)?sh\b/, "POSIX shell script", "text/x-shellscript"],
  [/\bnode\b/, "Node.js script", "application/javascript"],
  [/\bpython[\d.]*\b/, "Python script", "text/x-script.python"],
];

/** Identifies a file by content: links, directories, well-known formats, scripts, JSON, text and its encoding. */
export const file: ShellCommand = {
  name: "file",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "bihL",
      long: { brief: "b", mime: "i", "mime-type": "mime-type", dereference: "L" },
    });
    if (operands.length === 0) throw new Error("missing operand");
    const width = greatest(operands.map(({ length }) => length)) + 1;
    const lines: string[] = [];
    for (const operand of operands) {
      const { words, mime } = await describe(context, operand, options.has("L")).catch(
        (error: unknown): Kind => ({
          words: `cannot open \`${operand}' (${explain(error)})`,
          mime: `cannot open \`${operand}' (${explain(error)})`,
        }),
      );
      const isMime = options.has("i") || options.has("mime-type");
      const charset = options.has("i") ? `; charset=${charsetOf(words)}` : "";
      const text = isMime ? mime + charset : words;
      lines.push(options.has("b") ? text : `${`${operand}:`.padEnd(width)} ${text}`);
    }
    return { stdout: lines.map((line) => `${line}\n`).join("") };
  },
};

function charsetOf(words: string): string {
  if (words.includes("ASCII") || words.includes("JSON")) return "us-ascii";
  return words.includes("UTF-8") ? "utf-8" : "binary";
}

async function describe(
  { fs, resolve }: ShellCommandContext,
  operand: string,
  isFollowed: boolean,
): Promise<Kind> {
  const path = resolve(operand);
  const stat = await (isFollowed ? fs.stat(path) : fs.lstat(path));
  if (stat.type === "directory") return { words: "directory", mime: "inode/directory" };
  if (stat.type === "symlink") {
    return { words: `symbolic link to ${await fs.readlink(path)}`, mime: "inode/symlink" };
  }
  return kindOf(await fs.readFile(path));
}

function kindOf(bytes: Uint8Array): Kind {
  if (bytes.length === 0) return { words: "empty", mime: "inode/x-empty" };
  const start = String.fromCharCode(...bytes.subarray(0, 64));
  for (const [signature, words, mime] of signatures) {
    if (start.startsWith(signature)) return { words, mime };
  }
  const text = decodeText(bytes.subarray(0, 65_536));
  const isBinary = bytes
    .subarray(0, 4096)
    .some((byte) => byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
  if (isBinary) return { words: "data", mime: "application/octet-stream" };
  const isAscii = bytes.every((byte) => byte < 128);
  if (!isAscii && text.includes("\uFFFD")) {
    return { words: "Non-ISO extended-ASCII text", mime: "text/plain" };
  }
  const encoding = isAscii ? "ASCII" : "Unicode text, UTF-8";
  const body = `${encoding} text${endingOf(text)}`;
  const [, interpreter] = /^#!(.*)/.exec(text) ?? [];
  const script = interpreters.find(([pattern]) => pattern.test(interpreter ?? ""));
  if (script) return { words: `${script[1]}, ${encoding} text executable`, mime: script[2] };
  if (/^\s*[[{]/.test(text) && isJson(bytes)) {
    return { words: "JSON text data", mime: "application/json" };
  }
  if (/^\s*<(?:!doctype html|html)/i.test(text)) {
    return { words: `HTML document, ${body}`, mime: "text/html" };
  }
  return { words: body, mime: "text/plain" };
}

function endingOf(text: string): string {
  if (!text.includes("\n")) return ", with no line terminators";
  const returns = text.split("\r\n").length - 1;
  if (returns === 0) return "";
  const all = text.split("\n").length - 1;
  return returns === all ? ", with CRLF line terminators" : ", with CRLF, LF line terminators";
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decodeText(bytes));
    return true;
  } catch {
    return false;
  }
}
