import { concatBytes, dirname, encodeText, errorMessage } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import type { FetchRequest, FetchResponse } from "../../network.ts";
import { type Arguments, explain } from "../arguments.ts";
import { type Options, parseCurl, CurlUsageError } from "./curl-options.ts";
import { requestOf } from "./curl-request.ts";
import { headText, writtenOut } from "./curl-output.ts";

const MISUSED = 2;
const REFUSED = 7;
const HTTP_ERROR = 22;
const WRITE_ERROR = 23;
const TIMED_OUT = 28;
const TOO_MANY_REDIRECTS = 47;

/** A failed transfer, with curl's own status. */
class TransferError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Transfers data from and to servers, through the shell's network and its policy. */
export const curl: ShellCommand = {
  name: "curl",
  async run(args, context) {
    let parsed: Arguments;
    try {
      parsed = parseCurl(args);
    } catch (error) {
      if (!(error instanceof CurlUsageError)) throw error;
      return { stderr: `curl: ${error.message}\n`, exitCode: MISUSED };
    }
    const { options, given, operands } = parsed;
    const urls = [...given.filter(([name]) => name === "url").map(([, url]) => url), ...operands];
    if (urls.length === 0) return { stderr: "curl: no URL specified\n", exitCode: MISUSED };
    const outputs = given.filter(([name]) => name === "o").map(([, file]) => file);
    const parts: Uint8Array[] = [];
    let [stderr, exitCode] = ["", 0];
    for (const [at, url] of urls.entries()) {
      const target = outputs[at] ?? (options.has("O") ? remoteName(url) : undefined);
      try {
        const result = await transfer(url, target, parsed, context);
        parts.push(result.stdout);
        stderr += result.stderr;
        exitCode = result.exitCode;
      } catch (error) {
        if (context.signal.aborted) throw error;
        exitCode = error instanceof TransferError ? error.status : 1;
        if (!options.has("s") || options.has("S"))
          stderr += `curl: (${exitCode}) ${errorMessage(error)}\n`;
        if (options.has("w"))
          parts.push(encodeText(writtenOut(options.get("w") ?? "", undefined, url, 0)));
      }
    }
    return { stdout: concatBytes(parts), stderr, exitCode };
  },
};

interface Transferred {
  readonly stdout: Uint8Array;
  readonly stderr: string;
  readonly exitCode: number;
}

async function transfer(
  url: string,
  target: string | undefined,
  parsed: Arguments,
  context: ShellCommandContext,
): Promise<Transferred> {
  const { options } = parsed;
  const request = await requestOf(url, parsed, context);
  const started = performance.now();
  const answer = await send(request, options, context);
  const seconds = (performance.now() - started) / 1_000;
  const isFailed = answer.status >= 400 && (options.has("f") || options.has("fail-with-body"));
  if (isFailed && !options.has("fail-with-body")) throw httpError(answer.status);
  const head = headText(answer);
  await writeHeaders(answer, head, options, context);
  const isShown = options.has("i") || options.has("I");
  const body = options.has("I") ? new Uint8Array() : new Uint8Array(answer.body);
  const whole = concatBytes([encodeText(isShown ? head : ""), body]);
  if (target !== undefined && target !== "-") await save(target, whole, options, context);
  const told = encodeText(writtenOut(options.get("w") ?? "", answer, url, seconds));
  const shown = target === undefined || target === "-" ? whole : new Uint8Array();
  return {
    stdout: concatBytes([shown, told]),
    stderr: verboseText(request, answer, options) + (isFailed ? failureText(answer, options) : ""),
    exitCode: isFailed ? HTTP_ERROR : 0,
  };
}

function httpError(status: number): TransferError {
  return new TransferError(HTTP_ERROR, `The requested URL returned error: ${status}`);
}

function failureText({ status }: FetchResponse, options: Options): string {
  if (options.has("s") && !options.has("S")) return "";
  return `curl: (${HTTP_ERROR}) ${httpError(status).message}\n`;
}

async function send(
  request: FetchRequest,
  options: Options,
  { curlFetch, signal }: ShellCommandContext,
): Promise<FetchResponse> {
  if (!/^https?:/i.test(request.url))
    throw new TransferError(1, `Protocol "${request.url.split(":")[0] ?? ""}" not supported`);
  if (!curlFetch) throw new TransferError(REFUSED, "This shell has no network.");
  const limit = Number(options.get("m") ?? options.get("connect-timeout") ?? 0) * 1_000;
  const timeout = limit > 0 ? AbortSignal.timeout(limit) : undefined;
  try {
    return await curlFetch(request, timeout ? AbortSignal.any([signal, timeout]) : signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (timeout?.aborted)
      throw new TransferError(TIMED_OUT, `Operation timed out after ${limit} milliseconds`, {
        cause: error,
      });
    throw new TransferError(statusOf(errorMessage(error)), errorMessage(error), { cause: error });
  }
}

/** The status of a failed request, whose error comes from another thread or process as a message alone. */
function statusOf(message: string): number {
  if (/redirects more often/.test(message)) return TOO_MANY_REDIRECTS;
  return /\btook over\b/.test(message) ? TIMED_OUT : REFUSED;
}

async function save(
  name: string,
  bytes: Uint8Array,
  options: Options,
  { fs, resolve }: ShellCommandContext,
): Promise<void> {
  const directory = options.get("output-dir");
  const path = resolve(directory === undefined ? name : `${directory}/${name}`);
  try {
    if (options.has("create-dirs")) await fs.mkdir(dirname(path), { recursive: true });
    await fs.writeFile(path, bytes);
  } catch (error) {
    throw new TransferError(WRITE_ERROR, `${name}: ${explain(error)}`, { cause: error });
  }
}

async function writeHeaders(
  { headers, url }: FetchResponse,
  head: string,
  options: Options,
  { fs, resolve }: ShellCommandContext,
): Promise<void> {
  const [dump, jar] = [options.get("D"), options.get("c")];
  if (dump !== undefined) await fs.writeFile(resolve(dump), head);
  if (jar === undefined) return;
  const { hostname } = new URL(url);
  const lines = headers
    .filter(([name]) => name.toLowerCase() === "set-cookie")
    .map(([, cookie]) => /^\s*([^=;]+)=([^;]*)/.exec(cookie))
    .map((match) => [hostname, "FALSE", "/", "FALSE", "0", match?.[1] ?? "", match?.[2] ?? ""]);
  const text = lines.map((fields) => `${fields.join("\t")}\n`).join("");
  await fs.writeFile(resolve(jar), `# Netscape HTTP Cookie File\n\n${text}`);
}

function remoteName(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === "" ? "curl_response" : name;
}

function verboseText(request: FetchRequest, answer: FetchResponse, options: Options): string {
  if (!options.has("v")) return "";
  // Secrets are sent, not shown.
  const shown = (name: string, value: string): string =>
    /^(?:authorization|cookie)$/i.test(name) ? "[hidden]" : value;
  const { pathname, search, host } = new URL(request.url);
  const sent = [
    `> ${request.method} ${pathname}${search} HTTP/1.1`,
    `> Host: ${host}`,
    ...request.headers.map(([name, value]) => `> ${name}: ${shown(name, value)}`),
    ">",
  ];
  const got = headText(answer)
    .trimEnd()
    .split("\r\n")
    .map((line) => `< ${line}`);
  return `${[...sent, ...got, "<"].join("\n")}\n`;
}
