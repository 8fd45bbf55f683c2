import { encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import type { FetchRequest } from "../../network.ts";
import { type Arguments, readOperand, readTextOperand } from "../arguments.ts";
import { cookiesOf, dataOf, formOf } from "./curl-body.ts";

/** Builds the request of an address from the options. */
export async function requestOf(
  address: string,
  parsed: Arguments,
  context: ShellCommandContext,
): Promise<FetchRequest> {
  const { options } = parsed;
  const data = await dataOf(parsed, context);
  const form = await formOf(parsed, context);
  const upload = options.get("T");
  const isQuery = options.has("G");
  const sent = upload === undefined ? (form ?? (isQuery ? undefined : data)) : undefined;
  const bytes = upload === undefined ? sent?.bytes : await readOperand(context, upload);
  const usual = options.has("I") ? "HEAD" : upload !== undefined ? "PUT" : sent ? "POST" : "GET";
  const headers = await headersOf(parsed, context);
  const setUsual = (name: string, value: string | undefined): void => {
    if (value !== undefined && !headers.some(([own]) => own.toLowerCase() === name.toLowerCase()))
      headers.push([name, value]);
  };
  setUsual("Content-Type", sent?.type);
  if (options.has("json")) setUsual("Accept", "application/json");
  const queries = [
    ...(isQuery && data ? [new TextDecoder().decode(data.bytes)] : []),
    ...parsed.given.filter(([name]) => name === "url-query").map(([, value]) => value),
  ];
  return {
    url: withQuery(
      /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`,
      queries,
    ),
    method: options.get("X") ?? usual,
    headers: headers.filter(([, value]) => value !== ""),
    body: bytes && new Uint8Array(bytes).buffer,
    follows: options.has("L") || options.has("location-trusted"),
  };
}

async function headersOf(
  { given, options }: Arguments,
  context: ShellCommandContext,
): Promise<[string, string][]> {
  const headers: [string, string][] = [];
  const user = options.get("u");
  if (user !== undefined) headers.push(["Authorization", `Basic ${base64(user)}`]);
  const token = options.get("oauth2-bearer");
  if (token !== undefined) headers.push(["Authorization", `Bearer ${token}`]);
  const simple = { A: "User-Agent", e: "Referer", r: "Range" } as const;
  for (const [option, name] of Object.entries(simple)) {
    const value = options.get(option);
    if (value !== undefined) headers.push([name, option === "r" ? `bytes=${value}` : value]);
  }
  const cookies = options.get("b");
  if (cookies !== undefined) headers.push(["Cookie", await cookiesOf(cookies, context)]);
  const lines: string[] = [];
  for (const [name, value] of given) {
    if (name !== "H") continue;
    if (value.startsWith("@"))
      lines.push(...(await readTextOperand(context, value.slice(1))).split(/\r?\n/));
    else lines.push(value);
  }
  for (const line of lines) {
    // `Name;` sends an empty header, which no host can; `Name:` takes the usual one away.
    const [, name, value = ""] = /^([^:;\s]+)\s*[:;]\s*([^]*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const at = headers.findIndex(([own]) => own.toLowerCase() === name.toLowerCase());
    if (at !== -1 && /^(?:authorization|cookie|range|referer|user-agent)$/i.test(name))
      headers.splice(at, 1);
    headers.push([name, value.trim()]);
  }
  return headers;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...encodeText(text)));
}

function withQuery(url: string, queries: readonly string[]): string {
  if (queries.length === 0) return url;
  const [plain = "", ...fragment] = url.split("#");
  const joint = !plain.includes("?") ? "?" : /[?&]$/.test(plain) ? "" : "&";
  return [plain + joint + queries.join("&"), ...fragment].join("#");
}
