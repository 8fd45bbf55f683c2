import { basename, concatBytes, decodeText, encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { type Arguments, readOperand } from "../arguments.ts";

/** The body of a request, and the type that it has unless a header says otherwise. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly type: string | undefined;
}

const DATA = new Set(["d", "data-raw", "data-binary", "data-urlencode", "json"]);
const BOUNDARY_BYTES = 12;

/** The data of `-d` and its like, joined by `&`; `undefined` without any. */
export async function dataOf(
  { given }: Arguments,
  context: ShellCommandContext,
): Promise<RequestBody | undefined> {
  const parts: Uint8Array[] = [];
  let isJson = false;
  for (const [name, value] of given) {
    if (!DATA.has(name)) continue;
    if (name === "json") isJson = true;
    else if (parts.length > 0) parts.push(encodeText("&"));
    parts.push(await partOf(name, value, context));
  }
  if (parts.length === 0) return undefined;
  const type = isJson ? "application/json" : "application/x-www-form-urlencoded";
  return { bytes: concatBytes(parts), type };
}

async function partOf(
  name: string,
  value: string,
  context: ShellCommandContext,
): Promise<Uint8Array> {
  if (name === "data-urlencode") return encodeText(await encoded(value, context));
  if (name === "data-raw" || !value.startsWith("@")) return encodeText(value);
  const bytes = await readOperand(context, value.slice(1));
  // Line ends and NUL don't count in plain data.
  return name === "d" ? bytes.filter((byte) => byte !== 10 && byte !== 13 && byte !== 0) : bytes;
}

/** `content`, `=content`, `name=content`, `@file` and `name@file`. */
async function encoded(value: string, context: ShellCommandContext): Promise<string> {
  const [, name = "", sign, content = ""] = /^([^=@]*)([=@])([^]*)$/.exec(value) ?? [];
  if (sign === undefined) return urlEncoded(encodeText(value));
  const bytes = sign === "@" ? await readOperand(context, content) : encodeText(content);
  return (name === "" ? "" : `${name}=`) + urlEncoded(bytes);
}

function urlEncoded(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += /[A-Za-z0-9\-._~]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}

/** The form of `-F` and `--form-string`; `undefined` without any. */
export async function formOf(
  { given }: Arguments,
  context: ShellCommandContext,
): Promise<RequestBody | undefined> {
  const fields = given.filter(([name]) => name === "F" || name === "form-string");
  if (fields.length === 0) return undefined;
  const random = crypto.getRandomValues(new Uint8Array(BOUNDARY_BYTES));
  const boundary = `------------------------${Array.from(random, (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")}`;
  const parts: Uint8Array[] = [];
  for (const [option, field] of fields) {
    const { head, content } = await fieldOf(option, field, context);
    parts.push(encodeText(`--${boundary}\r\n${head}\r\n\r\n`), content, encodeText("\r\n"));
  }
  parts.push(encodeText(`--${boundary}--\r\n`));
  return { bytes: concatBytes(parts), type: `multipart/form-data; boundary=${boundary}` };
}

async function fieldOf(
  option: string,
  field: string,
  context: ShellCommandContext,
): Promise<{ head: string; content: Uint8Array }> {
  const [, name, value = ""] = /^([^=]+)=([^]*)$/.exec(field) ?? [];
  if (name === undefined) throw new Error(`Illegally formatted input field '${field}'`);
  const disposition = `Content-Disposition: form-data; name="${name}"`;
  if (option === "form-string") return { head: disposition, content: encodeText(value) };
  const [written = "", ...settings] = value.split(";");
  const setting = (key: string): string | undefined =>
    settings
      .map((one) => one.trim())
      .find((one) => one.startsWith(`${key}=`))
      ?.slice(key.length + 1)
      .replace(/^"(.*)"$/, "$1");
  const type = setting("type");
  const isFile = written.startsWith("@");
  const content =
    isFile || written.startsWith("<")
      ? await readOperand(context, written.slice(1))
      : encodeText(written);
  const fileName = setting("filename") ?? (isFile ? basename(written.slice(1)) : undefined);
  const shownType = type ?? (isFile ? typeOfFile(written) : undefined);
  const head =
    disposition +
    (fileName === undefined ? "" : `; filename="${fileName}"`) +
    (shownType === undefined ? "" : `\r\nContent-Type: ${shownType}`);
  return { head, content };
}

const TYPES: Readonly<Record<string, string>> = {
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  xml: "application/xml",
};

function typeOfFile(name: string): string {
  return TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}

/** The cookies of `-b`: given, or those of a file. */
export async function cookiesOf(value: string, context: ShellCommandContext): Promise<string> {
  if (value.includes("=")) return value;
  const text = await readOperand(context, value).then(decodeText, () => "");
  return text
    .split("\n")
    .map((line) => line.replace(/^#HttpOnly_/, ""))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split("\t"))
    .filter((fields) => fields.length >= 7)
    .map((fields) => `${fields[5] ?? ""}=${fields[6] ?? ""}`)
    .join("; ");
}
