import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError } from "@robota/runtime";
import { errnoOf } from "../../files/file-error.ts";

export interface Place {
  host: string;
  /** 0 for any that is free. */
  port: number;
}

const unknownHost = ({ host }: Place): [message: string, hint: string] => [
  `${host} has no address`,
  "Choose one of this machine with --host, such as 127.0.0.1 or 0.0.0.0.",
];

const refusals: Readonly<Record<string, (place: Place) => [message: string, hint: string]>> = {
  EADDRINUSE: ({ host, port }) => [
    `Port ${port} of ${host} is taken`,
    "Choose another one with --port; 0 takes any that is free.",
  ],
  EACCES: ({ port }) => [`Port ${port} is not for everybody`, "Choose one above 1023 with --port."],
  EADDRNOTAVAIL: ({ host }) => [
    `${host} is no address of this machine`,
    "Choose one with --host, such as 127.0.0.1 or 0.0.0.0.",
  ],
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
};

/**
 * Resolves to the server's address, without a slash at the end.
 * @throws {ConfigurationError} where the place can't be had
 */
export async function startListening(server: Server, place: Place): Promise<string> {
  const { host } = place;
  server.listen(place.port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const [message, hint] = refusals[errnoOf(cause)]?.(place) ?? [];
    if (message === undefined) throw cause;
    throw new ConfigurationError(message, { hint, cause });
  }
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
