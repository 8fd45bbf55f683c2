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

/** IANA's special-purpose registries, RFC by RFC. The first range of an address counts. */
const RANGES: readonly (readonly [reason: NonPublicReason, blocks: string])[] = [
  ["unspecified", "0.0.0.0/8 ::/128"],
  ["loopback", "127.0.0.0/8 ::1/128"],
  ["private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10"],
  ["link-local", "169.254.0.0/16 fe80::/10"],
  ["carrier-nat", "100.64.0.0/10"],
  ["multicast", "224.0.0.0/4 255.255.255.255/32 ff00::/8"],
  // An IPv4 address inside, which a translator or a tunnel on the way may deliver to. `::7f00:1` is the abandoned way to
  // write 127.0.0.1 as IPv6.
  [
    "embedded",
    "::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32",
  ],
  [
    "reserved",
    "192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24 198.18.0.0/15",
  ],
  ["reserved", "198.51.100.0/24 203.0.113.0/24 240.0.0.0/4"],
  ["reserved", "2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20"],
];

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

/** All assignments for public use (RFC 4291, IANA's IPv6 global unicast assignments): `2000::/3`. */
const GLOBAL_UNICAST = "001";

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
  const parsed = canonicalAddress(address);
  if (!parsed) return "malformed";
  if (METADATA.has(parsed.text)) return "metadata";
  for (const [reason, blocks] of RANGES) {
    if (blocks.split(" ").some((block) => isWithin(parsed.bits, block))) return reason;
  }
  return parsed.bits.length === 32 || parsed.bits.startsWith(GLOBAL_UNICAST)
    ? undefined
    : "reserved";
}

interface Address {
  /** In its only canonical form, for IPv6 that of RFC 5952. */
  text: string;
  /** The 32 or 128 binary digits. */
  bits: string;
}

/**
 * The four-part form is the only one of IPv4 without two readings; URLs have brought all others into it. A zone, as in
 * `fe80::1%eth0`, says through which of this machine's interfaces, and belongs to no public address.
 */
function canonicalAddress(address: string): Address | undefined {
  if (/^(?:(?:0|[1-9]\d{0,2})(?:\.|$)){4}$/.test(address) && !address.endsWith(".")) {
    const parts = address.split(".").map(Number);
    return parts.every((part) => part < 256)
      ? { text: address, bits: parts.map((part) => digits(part, 8)).join("") }
      : undefined;
  }
  const host = /^[\da-f:.]+$/i.test(address) && URL.parse(`http://[${address}]`)?.hostname;
  if (!host) return undefined;
  const text = host.slice(1, -1);
  const [start = [], end = []] = text.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = Array<string>(8 - start.length - end.length).fill("0");
  const parts = [...start, ...zeros, ...end];
  return { text, bits: parts.map((part) => digits(Number.parseInt(part, 16), 16)).join("") };
}

function digits(value: number, length: number): string {
  return value.toString(2).padStart(length, "0");
}

function isWithin(bits: string, block: string): boolean {
  const [first = "", length] = block.split("/");
  const range = canonicalAddress(first)?.bits ?? "";
  return range.length === bits.length && bits.startsWith(range.slice(0, Number(length)));
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
