import { RobotaError } from "@robota/runtime";
import { isLoopback } from "../connections/address.ts";
import { serverName } from "./server-name.ts";

/** The facts that a page can learn of a server that it could not use. */
export interface ServerFacts {
  server: string;
  /** Origin of this page. */
  origin: string;
  online: boolean;
  /** True when something answers at the address, although this page may not read it. */
  isListening: boolean | undefined;
}

/** A cause and its remedy, for a person. */
export interface ServerProblem {
  title: string;
  text: string;
}

/** The cause of a request that failed. It says "likely" where the browser hides the truth. */
export function explainServer(error: unknown, facts: ServerFacts): ServerProblem {
  const host = serverName(facts.server);
  if (error instanceof Error && error.name === "TokenNeeded")
    return {
      title: `${host} needs its token`,
      text: "It is kept until you reload, unless you choose otherwise.",
    };
  if (!(error instanceof RobotaError))
    return {
      title: "That didn’t work",
      text: error instanceof Error ? error.message : String(error),
    };
  const { code, message, hint } = error;
  switch (code) {
    case "UNREACHABLE":
      return explainSilence(host, facts);
    case "UNAUTHORIZED":
      return {
        title: `${host} refused the token`,
        text: "Check that it is whole, and that it has not expired.",
      };
    case "INSUFFICIENT_SCOPE":
      return { title: "This token may not do that", text: sentences(message, hint) };
    case "NOT_FOUND":
      return {
        title: `${host} has no such session`,
        text: "It was deleted there, or it belongs to another token.",
      };
    case "BAD_ANSWER":
      return {
        title: `No Robota server answers at ${host}`,
        text: "Check the address. It is that of the server itself, such as https://robota.example.",
      };
    default:
      return { title: `${host} refused`, text: sentences(message, hint) };
  }
}

function explainSilence(host: string, facts: ServerFacts): ServerProblem {
  const { server, origin, online, isListening } = facts;
  if (!online && !isLoopback(server))
    return { title: "This device is offline", text: "Connect to the network, then try again." };
  if (isListening)
    return {
      title: `${host} doesn’t allow this page`,
      text: `It is up, but likely doesn’t list ${origin} in its ALLOWED_ORIGINS.`,
    };
  return {
    title: `${host} can’t be reached`,
    text: isLoopback(server)
      ? "Start the server, and check the port."
      : "Check the address. The name, the network or a firewall is likely the cause.",
  };
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part) => part)
    .map((part) => part?.replace(/\.?$/, "."))
    .join(" ");
}

const KNOCK_MS = 3000;

/** As `explainServer`, with what this page finds out. A knock has no token, and its answer is not read. */
export async function explainHere(error: unknown, server: string): Promise<ServerProblem> {
  const isSilent = error instanceof RobotaError && error.code === "UNREACHABLE";
  const init = { mode: "no-cors", credentials: "omit", cache: "no-store" } as const;
  const isListening = isSilent
    ? await fetch(server, { ...init, signal: AbortSignal.timeout(KNOCK_MS) }).then(
        () => true,
        () => false,
      )
    : undefined;
  const { origin } = location;
  return explainServer(error, { server, origin, online: navigator.onLine, isListening });
}
