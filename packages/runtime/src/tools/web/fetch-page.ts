import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { Platform } from "../../ports/platform.ts";
import { EgressError } from "../../network/egress-error.ts";
import { guardedFetch } from "../../network/guarded-fetch.ts";
import type { EgressPolicy } from "../../network/policy.ts";
import { ToolFailure } from "../failure.ts";
import { count, cutEnd } from "../text-cut.ts";
import { OUTPUT_LIMIT } from "../text-limit.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { type CachedPage, cachedPage, cachePage } from "./page-cache.ts";
import { readPageText } from "./page-text.ts";
import { markUntrusted } from "./untrusted.ts";

export interface WebFetchOptions {
  /** Any public host by default. */
  policy?: EgressPolicy | undefined;
  /** Milliseconds for a whole call; default 30,000. */
  timeoutMs?: number | undefined;
  /** Limit for a page after decompression; default 5 MiB. */
  maxBytes?: number | undefined;
}

/** Arguments of WebFetch. */
export type WebFetchArgs = {
  url: string;
  prompt?: string;
  offset?: number;
};

const DEFAULT_BYTES = 5 * 1024 * 1024;
/** Characters of an error page's text; they are mostly decoration. */
const ERROR_CHARACTERS = 2000;
/** Leaves room for the facts about the page. */
const PIECE_CHARACTERS = OUTPUT_LIMIT - 2000;
const NOT_WHOLE = "(The rest of the page took too long to read and is left out.)";
const ACCEPT =
  "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1";

/** Reads a page, or continues one that was read recently. */
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
  const { prompt = "" } = args;
  const text = page.text.slice(offset);
  const canAnswer = prompt.trim() !== "" && isOk(page) && text.trim() !== "";
  const { platform } = context;
  if (!canAnswer) return pageResult(page, offset, platform);
  const { askPage, ASKED_CHARACTERS } = await import("./ask-page.ts");
  const answer = await askPage(text, prompt, context);
  if ("problem" in answer) {
    const notAnswered = `(The prompt was not answered: ${answer.problem}. This is the page itself.)`;
    return pageResult(page, offset, platform, [notAnswered]);
  }
  const { isWhole } = answer;
  const end = offset + cutEnd(text, ASKED_CHARACTERS).length;
  return answerResult(page, { text: answer.text, isWhole, offset, end }, platform);
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
      pinnedFetch: platform.pinnedFetch,
      policy: { ...policy, refuses: (url) => refusal(url, policy, context) },
      timeoutMs,
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

/** A permitted page must not redirect to one that a rule forbids. */
function refusal(
  url: URL,
  policy: EgressPolicy | undefined,
  { rules }: ToolContext,
): string | undefined {
  return policy?.refuses?.(url) ?? rules?.refusesAddress?.(url.href);
}

function isOk({ status }: CachedPage): boolean {
  return status >= 200 && status < 300;
}

/** The facts about a page, before its text. */
function factsOf({ url, status, mediaType, isMarkdown, isRedirected, text }: CachedPage): string[] {
  const form = isMarkdown ? " as Markdown" : "";
  const facts = [`${url} (${status}, ${mediaType}${form}, ${count(text.length)} characters)`];
  if (isRedirected) facts.push("The address redirected there.");
  return facts;
}

interface Answered {
  text: string;
  isWhole: boolean;
  /** Offset of the part of the page. */
  offset: number;
  end: number;
}

/** The answer to a prompt: it reports the page's content, and is marked as untrusted. */
function answerResult(
  page: CachedPage,
  { text, isWhole, offset, end }: Answered,
  platform: Platform,
): ToolResult {
  const { url, status, mediaType } = page;
  const { length } = page.text;
  const part = offset > 0 || end < length ? `characters ${count(offset)} to ${count(end)} of ` : "";
  const notes = [
    `(A model's answer to the prompt, from ${part}the page's text.${isWhole ? "" : " It was cut."} Leave prompt out to read the page itself.)`,
  ];
  if (!page.isWhole && end >= length) notes.push(NOT_WHOLE);
  if (end < length) notes.push(`(To ask about the rest, give the same url and offset ${end}.)`);
  const output = [...factsOf(page), markUntrusted(text, platform), ...notes].join("\n");
  const data = { url, status, mediaType, characters: length, answered: true };
  return { success: true, output, data };
}

function pageResult(
  page: CachedPage,
  offset: number,
  platform: Platform,
  before: readonly string[] = [],
): ToolResult {
  const { url, status, mediaType, text } = page;
  const limit = isOk(page) ? PIECE_CHARACTERS : ERROR_CHARACTERS;
  const shown = cutEnd(text.slice(offset), limit);
  const end = offset + shown.length;
  const facts = [...factsOf(page), ...before];
  const notes = [];
  if (isOk(page) && end < text.length) {
    notes.push(
      `(Characters ${count(offset)} to ${count(end)} of ${count(text.length)}. Go on with the same url and offset ${end}.)`,
    );
  }
  if (!page.isWhole && end >= text.length) notes.push(NOT_WHOLE);
  const content = shown.trim() === "" ? "(The page has no text.)" : markUntrusted(shown, platform);
  const output = [...facts, content, ...notes].join("\n");
  const data = { url, status, mediaType, characters: text.length };
  if (isOk(page)) return { success: true, output, data };
  const error = `${new URL(url).host} answered ${status}.`;
  return {
    success: false,
    output: `${error}\n${output}`,
    error,
    errorCode: `http_${status}` satisfies ToolErrorCode,
    data,
  };
}

function tooLarge(limit: number, cause: EgressError): ToolFailure {
  return new ToolFailure("too_large", `The page is over ${count(limit)} bytes.`, {
    cause,
    hint: "Find a smaller page, such as one chapter or a raw file.",
  });
}
