import type { Content } from "../../messages/message.ts";
import { redact } from "../../messages/redact.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import { imageType, isBinary, toBase64 } from "../files/text-file.ts";
import { count } from "../text-cut.ts";
import { boundOutput } from "../text-limit.ts";
import type { ToolContext, ToolResult } from "../tool.ts";

const REDACTED = "[REDACTED]";

export interface ResponseFacts {
  /** Label such as `GET /pets/{id}`; never the address, which can contain a key. */
  operation: string;
  secrets: readonly string[];
  maxBytes: number;
}

/** Converts a service's response to the call's result. */
export async function resultOf(
  response: Response,
  facts: ResponseFacts,
  context: ToolContext,
): Promise<ToolResult> {
  const { operation, secrets } = facts;
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    void response.body?.cancel().catch(() => undefined);
    return failed(
      `${operation} answered with a redirect, which is not followed: the request may carry credentials. ` +
        "The server's address is set by the person who configured this tool.",
      "redirect",
      response.status,
    );
  }
  const { bytes, isWhole } = await readUpTo(response, facts.maxBytes);
  if (response.ok) {
    const image = isWhole ? imageType(bytes) : undefined;
    const output: Content = image
      ? [{ type: "image", mediaType: image, data: toBase64(bytes) }]
      : (await boundOutput(withoutSecrets(shown(response, bytes, isWhole), secrets), context)).text;
    return { success: true, output, data: { status: response.status } };
  }
  const retryAfter = response.headers.get("retry-after");
  const words = [
    `${operation} answered ${`${response.status} ${response.statusText}`.trim()}.`,
    ...(retryAfter === null ? [] : [`It asks to wait: Retry-After: ${retryAfter}.`]),
    shown(response, bytes, isWhole),
  ].join("\n");
  const { text } = await boundOutput(redact(words, secrets), context);
  return failed(text, `http_${response.status}`, response.status);
}

function failed(output: string, errorCode: ToolErrorCode, status: number): ToolResult {
  const [error = output] = output.split("\n");
  return { success: false, output, error, errorCode, data: { status } };
}

/** Removes the secrets, plain and URL-encoded; other key-like text belongs to the answer. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets.filter(({ length }) => length >= 4)) {
    safe = safe.replaceAll(secret, REDACTED).replaceAll(encodeURIComponent(secret), REDACTED);
  }
  return safe;
}

function shown(response: Response, bytes: Uint8Array, isWhole: boolean): string {
  if (bytes.length === 0) return `(${response.status}, without content)`;
  const type = response.headers.get("content-type") ?? "";
  const cut = isWhole ? "" : `\n[… cut after ${count(bytes.length)} bytes …]`;
  if (isBinary(bytes))
    return `(${count(bytes.length)} bytes of ${type || "binary data"}, which can't be shown)${cut}`;
  return decode(bytes, type) + cut;
}

function decode(bytes: Uint8Array, type: string): string {
  const charset = /;\s*charset="?([^;"\s]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // An unknown charset; nearly everything is UTF-8.
    return new TextDecoder().decode(bytes);
  }
}

/** The body, or its beginning when it is longer. The rest is not read. */
async function readUpTo(
  response: Response,
  limit: number,
): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  if (!response.body) return { bytes: new Uint8Array(), isWhole: true };
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: join(chunks, size), isWhole: true };
    const room = limit - size;
    chunks.push(value.subarray(0, room));
    size += Math.min(value.length, room);
    if (value.length > room) {
      // The rest would cost time and memory; a failure to cancel does not matter.
      void reader.cancel().catch(() => undefined);
      return { bytes: join(chunks, size), isWhole: false };
    }
  }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
