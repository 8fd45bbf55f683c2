import { type Arguments, parseArguments } from "../arguments.ts";

export type Options = Arguments["options"];

/** Long options without a short form, which stand for themselves. */
const OWN = [
  "compressed",
  "connect-timeout",
  "data-binary",
  "data-raw",
  "data-urlencode",
  "fail-with-body",
  "form-string",
  "http1.1",
  "http2",
  "json",
  "location-trusted",
  "max-redirs",
  "oauth2-bearer",
  "output-dir",
  "create-dirs",
  "proto",
  "no-progress-meter",
  "retry",
  "retry-delay",
  "url",
  "url-query",
] as const;

const LETTERS: Readonly<Record<string, string>> = {
  cookie: "b",
  "cookie-jar": "c",
  data: "d",
  "data-ascii": "d",
  "dump-header": "D",
  fail: "f",
  form: "F",
  get: "G",
  globoff: "g",
  head: "I",
  header: "H",
  include: "i",
  insecure: "k",
  location: "L",
  "max-time": "m",
  output: "o",
  "progress-bar": "#",
  range: "r",
  referer: "e",
  "remote-name": "O",
  request: "X",
  "show-error": "S",
  silent: "s",
  "upload-file": "T",
  user: "u",
  "user-agent": "A",
  verbose: "v",
  "write-out": "w",
};

const FLAGS = new Set([
  "compressed",
  "create-dirs",
  "fail-with-body",
  "http1.1",
  "http2",
  "location-trusted",
  "no-progress-meter",
]);
const VALUED = "AbcdDeFHmorTuwX";

/** A misuse of options, with curl's status 2. */
export class CurlUsageError extends Error {}

/** @throws {CurlUsageError} for an option that is unknown or lacks its value */
export function parseCurl(args: readonly string[]): Arguments {
  const long = { ...LETTERS, ...Object.fromEntries(OWN.map((name) => [name, name])) };
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const name = arg.startsWith("--") ? arg.slice(2) : "";
    const isValued =
      Object.hasOwn(long, name) && !FLAGS.has(name) && !/^[fGgIikL#OSsv]$/.test(long[name] ?? "");
    if (isValued && at + 1 >= args.length)
      throw new CurlUsageError(`option --${name}: requires parameter`);
    words.push(isValued ? `${arg}=${args[++at] ?? ""}` : arg);
  }
  try {
    return parseArguments(words, { flags: "fGgIikLOSsv#", valued: VALUED, long });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CurlUsageError(
      message.replace(/^unrecognized option '(.*)'$/, "option $1: is unknown"),
    );
  }
}
