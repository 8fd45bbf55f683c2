import type { FetchResponse } from "../../network.ts";

/** The status line and the headers of an answer, and the empty line behind them. */
export function headText({ status, statusText, headers }: FetchResponse): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusText}`.trimEnd() + `\r\n${lines.join("")}\r\n`;
}

/** Fills a format of `-w`. Without an answer its numbers are zero. */
export function writtenOut(
  format: string,
  answer: FetchResponse | undefined,
  url: string,
  seconds: number,
): string {
  const header = (name: string): string =>
    answer?.headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1] ?? "";
  const status = String(answer?.status ?? 0).padStart(3, "0");
  const time = seconds.toFixed(6);
  const facts: Readonly<Record<string, string>> = {
    content_type: header("content-type"),
    http_code: status,
    http_version: "1.1",
    method: "",
    num_redirects: answer && answer.url !== url ? "1" : "0",
    redirect_url: header("location"),
    response_code: status,
    scheme: answer ? new URL(answer.url).protocol.replace(":", "").toUpperCase() : "",
    size_download: String(answer?.body.byteLength ?? 0),
    time_connect: time,
    time_starttransfer: time,
    time_total: time,
    url,
    url_effective: answer?.url ?? url,
  };
  return format
    .replace(
      /\\([nrt\\])/g,
      (_whole, letter: string) => ({ n: "\n", r: "\r", t: "\t" })[letter] ?? "\\",
    )
    .replace(/%(?:%|\{(\w+)\}|header\{([^}]+)\})/g, (whole, name?: string, field?: string) => {
      if (whole === "%%") return "%";
      return field === undefined ? (facts[name ?? ""] ?? "") : header(field);
    });
}
