import type { JsonValue, ToolArgs } from "../../messages/message.ts";
import { ToolFailure } from "../failure.ts";
import { isRecord, record, text } from "./document.ts";
import type { DocumentOperation, OperationBody } from "./operation.ts";
import type { CredentialPlan } from "./security.ts";
import { headerText, pairs, pathText } from "./serialize.ts";

export interface OperationRequest {
  url: string;
  init: { method: string; headers: Headers; body?: string | FormData };
  /** Secrets in the request, for redaction. */
  secrets: string[];
}

/** Builds the request of one call. @throws {ToolFailure} `invalid_arguments` for values that can't be sent */
export async function requestOf(
  operation: DocumentOperation,
  server: string,
  args: ToolArgs,
  credentials: readonly CredentialPlan[],
  constantHeaders: Readonly<Record<string, string>>,
): Promise<OperationRequest> {
  const headers = new Headers({ accept: "application/json, */*;q=0.8", ...constantHeaders });
  const query: string[] = [];
  const cookies: string[] = [];
  let path = operation.path;
  for (const parameter of operation.parameters) {
    const value = args[parameter.argument] as JsonValue | undefined;
    if (value === undefined || value === null) continue;
    if (parameter.in === "path") {
      path = path.replaceAll(`{${parameter.name}}`, () => pathText(parameter, value));
    } else if (parameter.in === "header") {
      headers.set(parameter.name, headerValue(parameter.argument, headerText(parameter, value)));
    } else {
      (parameter.in === "query" ? query : cookies).push(...pairs(parameter, value));
    }
  }
  checkPath(path, operation.path);

  const init: OperationRequest["init"] = { method: operation.method, headers };
  const body = operation.body && (args[operation.body.argument] as JsonValue | undefined);
  if (operation.body && body !== undefined) {
    init.body = bodyOf(operation.body, body);
    // A form with parts names the boundary between them by itself.
    if (operation.body.form !== "multipart") headers.set("content-type", operation.body.mediaType);
  }

  const secrets: string[] = [];
  for (const credential of credentials) {
    const value = await credential.value();
    secrets.push(value, value.replace(/^(?:Bearer|Basic) /, ""));
    const pair = `${encodeURIComponent(credential.name)}=${encodeURIComponent(value)}`;
    if (credential.in === "query") query.push(pair);
    else if (credential.in === "cookie") cookies.push(pair);
    else headers.set(credential.name, headerValue("a credential", value));
  }
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  checkHeaders(server, headers);
  return { url: server + path + (query.length > 0 ? `?${query.join("&")}` : ""), init, secrets };
}

/** A value may fill a segment of the path, but not take one away: `..` would call another operation. */
function checkPath(path: string, template: string): void {
  const segments = path.split("/");
  const isSound =
    segments.length === template.split("/").length &&
    segments.every((segment) => !/^(?:\.|%2e){1,2}$/i.test(segment) && !/[{}]/.test(segment)) &&
    segments.every((segment, index) => segment !== "" || template.split("/")[index] === "");
  if (!isSound) {
    throw new ToolFailure("invalid_arguments", `The arguments don't make a path of ${template}.`, {
      hint: "Give each part of the path a value, which is neither empty nor `.` or `..`.",
    });
  }
}

function headerValue(argument: string, value: string): string {
  if (/^[\t\x20-\x7e]*$/.test(value)) return value;
  throw new ToolFailure("invalid_arguments", `${argument} has characters that no header has.`, {
    hint: "Use visible ASCII characters.",
  });
}

/** Pages may not set every header, and silently drop those. */
function checkHeaders(url: string, headers: Headers): void {
  const kept = new Request(url, { headers }).headers;
  const refused = [...headers.keys()].filter((name) => !kept.has(name));
  if (refused.length === 0) return;
  throw new ToolFailure(
    "header_not_allowed",
    `Programs of this host may not send the header ${refused.join(", ")}.`,
    { hint: "Use the tool where they may, such as in a worker or in Node." },
  );
}

function bodyOf(plan: OperationBody, body: JsonValue): string | FormData {
  if (plan.form === "text") return typeof body === "string" ? body : JSON.stringify(body);
  if (plan.form === "json") return JSON.stringify(body);
  const fields = Object.entries(isRecord(body) ? body : {}).filter(([, value]) => value !== null);
  if (plan.form === "multipart") return multipart(plan, fields);
  return fields.flatMap(([name, value]) => formPairs(plan, name, value)).join("&");
}

/** One field of a form: by its encoding, by default lists item by item and objects as JSON. */
function formPairs(plan: OperationBody, name: string, value: JsonValue): string[] {
  const encoding = record(plan.encoding[name]);
  const { style, explode, allowReserved } = encoding;
  const hasStyle = style !== undefined || explode !== undefined;
  return pairs(
    {
      name,
      style: text(style) || "form",
      explode: typeof explode === "boolean" ? explode : style === undefined || style === "form",
      allowReserved: allowReserved === true,
      json: !hasStyle && (isRecord(value) || text(encoding["contentType"]).includes("json")),
    },
    value,
  );
}

function multipart(plan: OperationBody, fields: readonly [string, JsonValue][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) {
    const type = text(record(plan.encoding[name])["contentType"]);
    for (const item of Array.isArray(value) ? value : [value]) {
      const content = typeof item === "string" ? item : JSON.stringify(item);
      const partType = type || (isRecord(item) ? "application/json" : "");
      if (partType === "") form.append(name, content);
      else form.append(name, new Blob([content], { type: partType }), name);
    }
  }
  return form;
}
