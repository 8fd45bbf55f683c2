import { EgressError } from "../../egress/egress-error.ts";
import { guardedFetch } from "../../egress/guarded-fetch.ts";
import type { EgressPolicy } from "../../egress/policy.ts";
import { ToolFailure } from "../failure.ts";
import { count, cutEnd, OUTPUT_LIMIT } from "../text-limit.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { type CachedPage, cachedPage, cachePage } from "./page-cache.ts";
import { readPageText } from "./page-text.ts";
import { markUntrusted } from "./untrusted.ts";

export interface WebFetchOptions {
  /** Any public host unless told. */
  policy?: EgressPolicy;
  /** Milliseconds for a whole call; default 30,000. */
  timeoutMs?: number;
  /** Of a page, after decompression; default 5 MiB. */
  maxBytes?: number;
}

export type WebFetchArgs = {
  url: string;
  prompt?: string;
  offset?: number;
};

const DEFAULT_BYTES = 5 * 1024 * 1024;
/** Of a failed answer's text; error pages are mostly decoration. */
const ERROR_CHARACTERS = 2000;
/** Leaves room for what is said about the page. */
const PIECE_CHARACTERS = OUTPUT_LIMIT - 2000;
const ACCEPT =
  "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1";

/** Reads a page, or goes on in one that was read a while ago. */
export async function fetchPage(
  args: WebFetchArgs,
  options: WebFetchOptions,
  context: ToolContext,
): Promise<ToolResult> {
  const page = cachedPage(context, args.url) ?? (await readPage(args.url, options, context));
  const { offset = 0 } = args;
  if (offset > 0 && offset >= page.text.length) {
    throw new ToolFailure(
      "out_of_range",
      `The page has only ${count(page.text.length)} characters.`,
      {
        hint: "Leave offset out, or take a smaller one.",
      },
    );
  }
  return pageResult(page, args, context);
}

async function readPage(
  address: string,
  { policy, timeoutMs, maxBytes = DEFAULT_BYTES }: WebFetchOptions,
  context: ToolContext,
): Promise<CachedPage> {
  const { platform, signal } = context;
  const response = await guardedFetch(
    address,
    { headers: { accept: ACCEPT } },
    {
      fetch: platform.fetch,
      ...(platform.pinnedFetch && { pinnedFetch: platform.pinnedFetch }),
      policy: { ...policy, refuses: (url) => refusal(url, policy, context) },
      ...(timeoutMs !== undefined && { timeoutMs }),
      maxBytes,
      signal,
    },
  );
  const { url, status, redirects } = response;
  const read = await readPageText(response, signal).catch((error: unknown) => {
    if (error instanceof EgressError && error.code === "EGRESS_TOO_LARGE")
      throw tooLarge(maxBytes, error);
    throw error;
  });
  const page = { url, isRedirected: redirects.length > 0, status, ...read };
  if (response.ok) cachePage(context, address, page);
  return page;
}

/** A page that may be read must not lead to one that a rule forbids. */
function refusal(
  url: URL,
  policy: EgressPolicy | undefined,
  { rules }: ToolContext,
): string | undefined {
  return policy?.refuses?.(url) ?? rules?.refusesAddress?.(url.href);
}

function pageResult(
  page: CachedPage,
  { prompt, offset = 0 }: WebFetchArgs,
  { platform }: ToolContext,
): ToolResult {
  const { url, status, mediaType, text } = page;
  const isOk = status >= 200 && status < 300;
  const limit = isOk ? PIECE_CHARACTERS : ERROR_CHARACTERS;
  const shown = cutEnd(text.slice(offset), limit);
  const end = offset + shown.length;
  const facts = [
    `${url} (${status}, ${mediaType}${page.isMarkdown ? " as Markdown" : ""}, ${count(text.length)} characters)`,
  ];
  if (page.isRedirected) facts.push("The address redirected there.");
  if (prompt) facts.push(`To find in it: ${prompt}`);
  const notes = [];
  if (isOk && end < text.length) {
    notes.push(
      `(Characters ${count(offset)} to ${count(end)} of ${count(text.length)}. Go on with the same url and offset ${end}.)`,
    );
  }
  if (!page.isWhole && end >= text.length) {
    notes.push("(The rest of the page took too long to read and is left out.)");
  }
  const content = shown.trim() === "" ? "(The page has no text.)" : markUntrusted(shown, platform);
  const output = [...facts, content, ...notes].join("\n");
  const data = { url, status, mediaType, characters: text.length };
  if (isOk) return { success: true, output, data };
  const error = `${new URL(url).host} answered ${status}.`;
  return {
    success: false,
    output: `${error}\n${output}`,
    error,
    errorCode: `http_${status}`,
    data,
  };
}

function tooLarge(limit: number, cause: EgressError): ToolFailure {
  return new ToolFailure("too_large", `The page is over ${count(limit)} bytes.`, {
    cause,
    hint: "Look for a smaller page, such as one chapter or a raw file.",
  });
}
