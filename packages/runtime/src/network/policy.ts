import { ConfigurationError } from "../errors.ts";
import { hostName, hostProblem, isPublicAddress, type NonPublicReason } from "./address.ts";
import { EgressError } from "./egress-error.ts";

/** Ports of web servers. Others belong to services that take a request for something else: mail, caches, databases. */
export const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

/**
 * The allowed targets of requests. A host is `example.com` for exactly that one, or `*.example.com` for all its
 * subdomains, without it. Denied hosts are refused regardless of other fields.
 */
export interface EgressPolicy {
  /** The only allowed hosts; an empty list allows nothing. Every public host when absent. */
  allowHosts?: readonly string[] | undefined;
  denyHosts?: readonly string[] | undefined;
  /** Default `WEB_PORTS`. */
  allowPorts?: readonly number[] | undefined;
  /**
   * Origins that a person configured, such as `http://localhost:8888`. They may be private, on any port, and need not be
   * in `allowHosts`. A redirect from another origin does not lead there.
   */
  allowPrivateOrigins?: readonly string[] | undefined;
  /**
   * Additional check: returns the reason of a refusal in a sentence; called with the first address and each redirect.
   */
  refuses?: ((url: URL) => string | undefined) | undefined;
}

/** An allowed address, in canonical form. */
export interface Destination {
  readonly url: URL;
  /** Reports whether an IP address that the name resolves to may be connected to. */
  readonly isAccepted: (address: string) => boolean;
}

const REASON_TEXT: Readonly<Record<NonPublicReason, string>> = {
  unspecified: "an unspecified address",
  loopback: "a loopback address",
  private: "an address of a private network",
  "link-local": "a link-local address",
  "carrier-nat": "an address of a provider's inner network",
  metadata: "a cloud's metadata service",
  multicast: "a multicast address",
  embedded: "an IPv6 address that embeds an IPv4 one",
  reserved: "a reserved address",
  "local-name": "a name of this machine or its network",
  "single-label": "a name of this network, without a dot",
  "wildcard-dns": "a name that leads to private addresses",
  malformed: "not a host of the public internet",
};

/**
 * The address to request.
 * @param from the address that redirected here
 * @throws {EgressError} `EGRESS_REFUSED`
 */
export function checkDestination(
  target: string | URL,
  policy: EgressPolicy = {},
  from?: URL,
): Destination {
  const url = parseUrl(target);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused(`${url.protocol} addresses are not fetched`, "Use http or https.");
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(
      "The address holds a user name or a password",
      "Remove the credentials before the @.",
    );
  }
  if (from?.protocol === "https:" && url.protocol === "http:") {
    throw refused(
      `${from.host} redirects from https to http`,
      "Ask for the https address of the target.",
    );
  }
  const host = url.hostname;
  if (policy.denyHosts?.some((pattern) => matchesHost(pattern, host))) {
    throw refused(`${url.host} is on the list of denied hosts`);
  }
  const reason = policy.refuses?.(url);
  if (reason !== undefined) throw new EgressError("EGRESS_REFUSED", reason);
  const isConfigured =
    (from === undefined || from.origin === url.origin) &&
    policy.allowPrivateOrigins?.some((origin) => URL.parse(origin)?.origin === url.origin);
  if (isConfigured) return { url, isAccepted: () => true };
  if (policy.allowHosts && !policy.allowHosts.some((pattern) => matchesHost(pattern, host))) {
    throw refused(`${url.host} is not on the list of allowed hosts`);
  }
  const problem = hostProblem(host);
  if (problem) {
    throw refused(
      `${url.host} is ${REASON_TEXT[problem]}`,
      "Only the public internet can be reached.",
    );
  }
  const ports = policy.allowPorts ?? WEB_PORTS;
  if (!ports.includes(portOf(url))) {
    throw refused(
      `Port ${portOf(url)} is not allowed`,
      `Allowed are ${ports.join(", ") || "none"}.`,
    );
  }
  return { url, isAccepted: isPublicAddress };
}

/**
 * Reports whether a pattern matches a host: its name, or a subdomain at a label boundary, so `*.a.com` does not match
 * `evila.com`.
 * @throws {ConfigurationError} when the pattern is not a host
 */
function matchesHost(pattern: string, host: string): boolean {
  const isSuffix = pattern.startsWith("*.");
  const named = canonicalHost(isSuffix ? pattern.slice(2) : pattern);
  if (named === undefined) {
    // Passed over in silence, a pattern in the list of denied hosts would deny nothing.
    throw new ConfigurationError(`${JSON.stringify(pattern)} is not a host`, {
      hint: "Write example.com, or *.example.com for all hosts under it.",
    });
  }
  return isSuffix ? host.endsWith(`.${named}`) : host === named;
}

function parseUrl(target: string | URL): URL {
  let url: URL;
  try {
    url = new URL(target);
    // Without its last dot a name may turn out to be an address, which the second reading brings into the plain form.
    url.hostname = hostName(url.hostname);
    url = new URL(url.href);
  } catch {
    throw refused("That is not an address", "Give a whole one, such as https://example.com/page.");
  }
  // Fragments are never sent, and must not distinguish cache entries.
  url.hash = "";
  return url;
}

/** A host in a URL's canonical form, so that `ÉXAMPLE.com.` in a list equals the host of an address. */
function canonicalHost(host: string): string | undefined {
  // The parser would silently drop a port, a path and other parts that are not the host.
  const url = /[@/\\?#*]|:\d*$/.test(host) ? null : URL.parse(`http://${host}/`);
  return (url && hostName(url.hostname)) || undefined;
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function refused(message: string, hint = "Ask for an address of another host."): EgressError {
  return new EgressError("EGRESS_REFUSED", `${message}.`, { hint });
}
