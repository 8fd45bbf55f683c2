import { defined } from "../../defined.ts";
import { isObject, type SettingProblem, type SettingsObject } from "../settings/settings-object.ts";

/** The file of a project's servers that Claude Code and others share. */
export const SERVER_FILE = ".mcp.json";
/** The types of servers there that settings have too. */
const TYPES = new Set<unknown>([undefined, "stdio", "http", "streamable-http"]);
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** The servers of such a file. */
export interface FileServers {
  servers: SettingsObject;
  /** The servers that are left out, with the reason. */
  left: SettingProblem[];
}

/**
 * The servers of an `.mcp.json`, with the fields of settings; these are not checked yet. Other people write it, so
 * `${NAME}` stands for one of `variables`, or else for the default in `${NAME:-default}`, and never for a value of the environment.
 */
export function serversInFile(
  found: SettingsObject,
  variables: Readonly<Record<string, string>> = {},
): FileServers {
  const result: FileServers = { servers: {}, left: [] };
  for (const [name, server] of Object.entries(found)) {
    const missing = new Set<string>();
    const { type, url, headers, command, args, env } = isObject(server) ? server : {};
    const leaveOut = (message: string): void =>
      void result.left.push({ setting: `mcpServers.${name}`, message: `is left out: ${message}` });
    if (!isObject(server)) leaveOut("it is not an object");
    else if (!TYPES.has(type))
      leaveOut(`servers of the type ${JSON.stringify(type)} are not supported`);
    else {
      const fields = defined({ url, headers, command, args, env });
      const filled = replaced(fields, variables, missing);
      if (missing.size === 0) result.servers[name] = filled;
      else
        leaveOut(
          `it needs ${[...missing].join(", ")}, and gets nothing of the environment; your own settings can have it`,
        );
    }
  }
  return result;
}

function replaced(
  value: unknown,
  variables: Readonly<Record<string, string>>,
  missing: Set<string>,
): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => replaced(item, variables, missing));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, replaced(inner, variables, missing)]),
    );
  if (typeof value !== "string") return value;
  return value.replace(REFERENCE, (written, name: string, otherwise?: string) => {
    const known = Object.hasOwn(variables, name) ? variables[name] : otherwise;
    if (known === undefined) missing.add(written);
    return known ?? written;
  });
}
