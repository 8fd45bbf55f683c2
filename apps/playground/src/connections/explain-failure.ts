import { RobotaError } from "@robota/runtime";
import { hostOf } from "./connection.ts";
import { isLoopback } from "./address.ts";
import { type Command, startCommands } from "./local-servers.ts";
import type { ServiceId } from "./service-titles.ts";
import type { LocalServiceId } from "./services.ts";

/** The facts that a page can learn of a failed request. */
export interface FailureFacts {
  service: ServiceId;
  baseURL: string;
  /** Origin of this page. */
  origin: string;
  online: boolean;
  isSafari: boolean;
  /** The browser's permission to reach programs on this machine: `granted`, `denied`, `prompt`; unknown in some. */
  localAccess: string | undefined;
  /** True when something answers at the address, although this page may not read it. */
  isListening: boolean | undefined;
}

/** A cause and its remedy, for a person. */
export interface Explanation {
  title: string;
  text: string;
  commands: readonly Command[];
  /** Another key may help. */
  isAboutKey: boolean;
}

const LOCAL: readonly ServiceId[] = ["ollama", "lmStudio", "llamaCpp"] satisfies LocalServiceId[];

/** The cause of a failed check. It says "likely" where the browser hides the truth. */
export function explainFailure(error: unknown, facts: FailureFacts): Explanation {
  const host = hostOf(facts.baseURL) ?? facts.baseURL;
  const say = (title: string, text: string, more: Partial<Explanation> = {}): Explanation => ({
    title,
    text,
    commands: [],
    isAboutKey: false,
    ...more,
  });
  if (!(error instanceof RobotaError)) return say("The check failed", wordsOf(error));
  const { message, hint } = error;
  switch (error.code) {
    case "AUTHENTICATION_ERROR":
      return /CORS/i.test(message)
        ? say(
            "This organization blocks requests from web pages",
            "An administrator can allow them in the service's settings. An edge endpoint also works.",
          )
        : say(keyTitle(error), `${message}. ${hint}`, { isAboutKey: true });
    case "QUOTA_EXCEEDED":
      return say("The account has no credit", `${message}. ${hint}`, { isAboutKey: true });
    case "RATE_LIMIT_ERROR":
      return say("Too many requests", `${message}. Wait a moment, then check again.`);
    case "OVERLOADED":
    case "SERVER_ERROR":
      return say(`${host} has trouble`, `${message}. Try again in a while.`);
    case "INVALID_RESPONSE":
      return say(
        "A web page answered, not a model API",
        `${message}. Check the address, and whether a proxy or a sign-in page is in between.`,
      );
    case "NOT_FOUND":
      return say(
        "Nothing at this address",
        `${message}. Most base URLs end with /v1, Anthropic's doesn't.`,
      );
    case "NETWORK_ERROR":
      return explainNetwork(host, facts, say);
    default:
      return say("The check failed", hint ? `${message}. ${hint}` : message);
  }
}

function explainNetwork(
  host: string,
  facts: FailureFacts,
  say: (title: string, text: string, more?: Partial<Explanation>) => Explanation,
): Explanation {
  const { service, baseURL, origin, online, isSafari, localAccess, isListening } = facts;
  const local = isLoopback(baseURL);
  if (!online && !local)
    return say("This device is offline", "Connect to the network, then check again.");
  if (local && localAccess === "denied")
    return say(
      "The browser blocks access to this machine",
      "Allow “Local network access” in the site settings beside the address, then reload.",
    );
  if (local && isSafari && origin.startsWith("https:"))
    return say(
      "Safari blocks http://localhost from https pages",
      "Use Chrome or Firefox, or open this playground from a server on your own machine.",
    );
  if (local) {
    const isServer = LOCAL.includes(service);
    const commands = isServer ? startCommands(service as LocalServiceId, origin) : [];
    return isListening
      ? say(
          "The server runs, but doesn't allow this page",
          `Start it so that ${origin} may call it (CORS).`,
          { commands },
        )
      : say(
          `Nothing answers at ${host}`,
          "Start the server. This line also lets this page call it.",
          { commands },
        );
  }
  return isListening
    ? say(
        `${host} doesn't accept requests from web pages`,
        `It is up, but likely doesn't send Access-Control-Allow-Origin for ${origin}. An edge endpoint of your own works.`,
      )
    : say(
        `${host} can't be reached`,
        "Check the address. The name, the network or a firewall is likely the cause.",
      );
}

function keyTitle(error: RobotaError): string {
  const status = "status" in error ? error.status : undefined;
  if (status === 401) return "The key was refused";
  return status === 403 ? "The key lacks permission" : "The key can't be used";
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
