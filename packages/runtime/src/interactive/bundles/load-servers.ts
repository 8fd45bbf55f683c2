import { defined } from "../../defined.ts";
import { isObject } from "../settings/settings-object.ts";
import type { McpServerSettings } from "../settings/settings.ts";
import type { BundleWarning } from "./bundle.ts";
import { invalid } from "./bundle-error.ts";
import { type BundleFiles, declaredPart } from "./bundle-files.ts";
import { rootVariables } from "./bundle-root.ts";
import { SERVER_FILE, serversInFile } from "../mcp/server-file.ts";

const NAME = /^(?!.*__)[A-Za-z0-9_-]{0,31}[A-Za-z0-9-]$/;

/**
 * The MCP servers of a bundle: `.mcp.json`, or the manifest's inline or named replacement. Processes find its files by the
 * variables of its root. A server that can't be used is left out with a warning.
 * @throws {BundleError} `BUNDLE_INVALID`
 */
export function loadServers(
  files: BundleFiles,
  declared: unknown,
  place: { directory: string; manifestFile: string; warn: (warning: BundleWarning) => void },
): Record<string, McpServerSettings> {
  const part = declaredPart(files, declared, { ...place, conventional: SERVER_FILE });
  if (!part) return {};
  const { file, value } = part;
  const declaredServers =
    isObject(value) && isObject(value["mcpServers"]) ? value["mcpServers"] : value;
  if (!isObject(declaredServers)) throw invalid(file, "mcpServers", "must be an object");
  const { servers, left } = serversInFile(declaredServers, rootVariables(place.directory));
  for (const { setting, message } of left) place.warn({ file, message: `${setting} ${message}` });
  const found = Object.entries(servers).map(([name, server]) => {
    const field = `mcpServers.${name}`;
    if (!NAME.test(name)) throw invalid(file, field, "has no name for a server");
    return [name, checkedServer(server, { file, field, directory: place.directory })] as const;
  });
  return Object.fromEntries(found);
}

/** @throws {BundleError} `BUNDLE_INVALID` */
function checkedServer(
  server: unknown,
  { file, field, directory }: { file: string; field: string; directory: string },
): McpServerSettings {
  const { url, headers, command, args, env } = isObject(server) ? server : {};
  if ((url === undefined) === (command === undefined))
    throw invalid(file, field, "must have either a url or a command");
  if (url !== undefined) {
    if (typeof url !== "string" || !isAddress(url))
      throw invalid(file, `${field}.url`, "must be an http or https address without a password");
    if (headers !== undefined && !isTexts(headers))
      throw invalid(file, `${field}.headers`, "must be an object of texts");
    return defined({ url, headers });
  }
  if (typeof command !== "string" || command === "")
    throw invalid(file, `${field}.command`, "must be a text");
  if (args !== undefined && !isTextList(args))
    throw invalid(file, `${field}.args`, "must be a list of texts");
  if (env !== undefined && !isTexts(env))
    throw invalid(file, `${field}.env`, "must be an object of texts");
  return defined({
    command,
    args,
    env: { ...rootVariables(directory), ...env },
  });
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === "";
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}
