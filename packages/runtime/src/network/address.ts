import ipaddr from "ipaddr.js";

/**
 * The reason why a host or an address is not on the public internet, for messages and tests. `metadata` marks addresses
 * where clouds hand credentials to their machines; `reserved` covers everything set aside or unassigned.
 */
export type NonPublicReason =
  | "unspecified"
  | "loopback"
  | "private"
  | "link-local"
  | "carrier-nat"
  | "metadata"
  | "multicast"
  | "embedded"
  | "reserved"
  | "local-name"
  | "single-label"
  | "wildcard-dns"
  | "malformed";

/** Reasons by the library's range names; its types omit some. Any other range but `unicast` is `reserved`. */
const REASONS: Readonly<Record<string, NonPublicReason>> = {
  unspecified: "unspecified",
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  linkLocal: "link-local",
  carrierGradeNat: "carrier-nat",
  multicast: "multicast",
  broadcast: "multicast",
  // An IPv4 address inside, which a translator or a tunnel on the way may deliver to.
  ipv4Mapped: "embedded",
  rfc6145: "embedded",
  rfc6052: "embedded",
  "6to4": "embedded",
  teredo: "embedded",
};

/** Addresses that look like any other, or like a range of lesser weight, and answer with credentials of the machine. */
const METADATA = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.0.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
]);

/** All assignments for public use (RFC 4291, IANA's IPv6 global unicast assignments). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** Names that have a meaning only on this machine or its network, with everything under them. */
const LOCAL_NAMES = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "svc",
  "test",
  "invalid",
  "onion",
  "alt",
];

/** Public names whose addresses spell a private one, or lead to this machine. */
const WILDCARD_DNS = [
  "nip.io",
  "sslip.io",
  "xip.io",
  "backname.io",
  "ip6.name",
  "localtest.me",
  "lvh.me",
  "vcap.me",
  "fuf.me",
  "lacolhost.com",
  "traefik.me",
  "local.gd",
  "localho.st",
  "localhost.direct",
  "smackaho.st",
  "lndo.site",
  "ddev.site",
  "rbndr.us",
  "1u.ms",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
];

/**
 * Returns why an IP address, as text without brackets, is not public; `undefined` when it is. Invalid text is
 * `malformed`. Stricter than IANA's registries, which call some addresses that only embed another one "globally
 * reachable".
 */
export function addressProblem(address: string): NonPublicReason | undefined {
  // A zone, as in `fe80::1%eth0`, says through which of this machine's interfaces.
  if (address.includes("%") || !ipaddr.isValid(address)) return "malformed";
  // The four-part form is the only one without two readings; URLs have brought all others into it.
  if (!address.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(address)) return "malformed";
  const parsed = ipaddr.parse(address);
  if (METADATA.has(parsed.toString())) return "metadata";
  const range = parsed.range();
  if (range !== "unicast") return REASONS[range] ?? "reserved";
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) {
    // `::7f00:1` is the abandoned way to write 127.0.0.1 as IPv6.
    return parsed.parts.slice(0, 6).every((part) => part === 0) ? "embedded" : "reserved";
  }
  return undefined;
}

/** Reports whether an IP address, as text, belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  return addressProblem(address) === undefined;
}

/**
 * Returns why a host is not on the public internet, as far as its text tells; `undefined` when nothing speaks against
 * it. A name can still resolve to a private address. `name` is the `hostname` of a URL without a trailing dot, so IPv4
 * addresses are in canonical form and no name ends in a number.
 */
export function hostProblem(name: string): NonPublicReason | undefined {
  if (name.startsWith("[")) return addressProblem(name.slice(1, -1));
  if (/^\d+(?:\.\d+){3}$/.test(name)) return addressProblem(name);
  if (name.length > 253 || !name.split(".").every(isLabel)) return "malformed";
  if (isUnder(name, LOCAL_NAMES)) return "local-name";
  if (isUnder(name, WILDCARD_DNS)) return "wildcard-dns";
  return name.includes(".") ? undefined : "single-label";
}

/** A host in small letters without the dot at its end: `localhost.` names the same machine as `localhost`. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

function isUnder(name: string, parents: readonly string[]): boolean {
  return parents.some((parent) => name === parent || name.endsWith(`.${parent}`));
}

function isLabel(label: string): boolean {
  return /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/.test(label);
}
