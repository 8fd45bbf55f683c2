import { defined } from "../../defined.ts";
import { isObject } from "../settings/settings-object.ts";
import type { McpServerSettings } from "../settings/settings.ts";
import type { BundleWarning } from "./bundle.ts";
import { invalid } from "./bundle-error.ts";
import { type BundleFiles, declaredPart } from "./bundle-files.ts";

const CONVENTIONAL = ".mcp.json";
const NAME = /^(?!.*__)[A-Za-z0-9_-]{0,31}[A-Za-z0-9-]$/;

/**
 * The MCP servers of a bundle that have an address: `.mcp.json`, or the manifest's inline or named replacement. One
 * that would be a process is left out with a warning.
 * @throws {BundleError} `BUNDLE_INVALID`
 */
export function loadServers(
  files: BundleFiles,
  declared: unknown,
  place: { manifestFile: string; warn: (warning: BundleWarning) => void },
): Record<string, McpServerSettings> {
  const part = declaredPart(files, declared, { ...place, conventional: CONVENTIONAL });
  if (!part) return {};
  const { file, value } = part;
  const servers = isObject(value) && isObject(value["mcpServers"]) ? value["mcpServers"] : value;
  if (!isObject(servers)) throw invalid(file, "mcpServers", "must be an object");
  const found: [string, McpServerSettings][] = [];
  for (const [name, server] of Object.entries(servers)) {
    const field = `mcpServers.${name}`;
    if (!NAME.test(name)) throw invalid(file, field, "has no name for a server");
    if (!isObject(server)) throw invalid(file, field, "must be an object");
    const { url, headers } = server;
    if (url === undefined) {
      place.warn({
        file,
        message: `${name} is left out: it has no address, and no process is started`,
      });
      continue;
    }
    if (typeof url !== "string" || !isAddress(url))
      throw invalid(file, `${field}.url`, "must be an http or https address without a password");
    if (headers !== undefined && !isTexts(headers))
      throw invalid(file, `${field}.headers`, "must be an object of texts");
    found.push([name, defined({ url, headers })]);
  }
  return Object.fromEntries(found);
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === "";
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}
