import { ConfigurationError } from "../../errors.ts";
import type { JsonObject } from "../../messages/message.ts";
import { list, record, text } from "./document.ts";

export interface ServerOptions {
  /** Instead of every server of the document. */
  baseUrl?: string | undefined;
  /** Index of the server, from 0; the first one by default. */
  server?: number | undefined;
  /** Values of the variables in a server's address, instead of their defaults. */
  serverVariables?: Readonly<Record<string, string>> | undefined;
  /** Address of the document, for servers with relative addresses. */
  documentUrl?: string | undefined;
}

/** The address that an operation's path follows, without a slash at its end. @throws {ConfigurationError} */
export function serverUrl(servers: readonly JsonObject[], options: ServerOptions): string {
  const { baseUrl, server = 0, documentUrl } = options;
  if (baseUrl !== undefined) return absolute(baseUrl, undefined);
  const chosen = servers[server];
  if (!chosen && servers.length > 0) {
    throw new ConfigurationError(`The OpenAPI document has no server ${server}`, {
      hint: `It has ${servers.length}, counted from 0.`,
    });
  }
  return absolute(chosen ? withVariables(chosen, options.serverVariables ?? {}) : "/", documentUrl);
}

function withVariables(server: JsonObject, given: Readonly<Record<string, string>>): string {
  const variables = record(server["variables"]);
  return text(server["url"]).replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = record(variables[name]);
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const chosen = value ?? text(variable["default"]);
    const allowed = list(variable["enum"]).map(text);
    if (chosen === "" || (allowed.length > 0 && !allowed.includes(chosen))) {
      throw new ConfigurationError(
        chosen === ""
          ? `The server variable ${name} has no value`
          : `"${chosen}" is not a value of the server variable ${name}`,
        {
          hint: `Give serverVariables.${name}${allowed.length > 0 ? `: ${allowed.join(", ")}` : ""}.`,
        },
      );
    }
    return chosen;
  });
}

function absolute(address: string, documentUrl: string | undefined): string {
  const url = URL.parse(address, documentUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(`"${address}" is not the address of a server`, {
      hint: "Give `baseUrl`, or `documentUrl` for a document with relative servers.",
    });
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
