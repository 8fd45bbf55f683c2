import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { addressProblem } from "./address.ts";
import {
  LOOPBACK_FORMS,
  OTHER_FORMS,
  PUBLIC_FORMS,
} from "../../../../test/support/network/address-forms.ts";
import { guardedFetch } from "./guarded-fetch.ts";

const FORMS = [...LOOPBACK_FORMS, ...OTHER_FORMS];

/** Asks for an address with a platform that would send it; tells what was sent. */
async function ask(url: string): Promise<{ code: string; sent: string[] }> {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = (input) => {
    sent.push(new Request(input).url);
    return Promise.resolve(new Response("x"));
  };
  try {
    (await guardedFetch(url, {}, { fetch })).cancel();
    return { code: "sent", sent };
  } catch (error) {
    return { code: (error as { code: string }).code, sent };
  }
}

describe("a non-public address", () => {
  it(`is not requested in any of ${FORMS.length} forms`, async () => {
    expect(new Set(FORMS).size).toBe(FORMS.length);
    expect(FORMS.length).toBeGreaterThanOrEqual(120);
    const outcomes = await Promise.all(FORMS.map(async (form) => ({ form, ...(await ask(form)) })));
    const passed = outcomes.filter(
      ({ code, sent }) => code !== "EGRESS_REFUSED" || sent.length > 0,
    );
    expect(passed).toEqual([]);
  });

  it("is not requested after a redirect", async () => {
    const outcomes = await Promise.all(
      FORMS.map(async (location) => {
        const sent: string[] = [];
        const fetch: typeof globalThis.fetch = (input) => {
          const { url } = new Request(input);
          sent.push(url);
          // Header values hold bytes, and no line ends: a server escapes the rest.
          const escaped = encodeURI(location.trim()).replaceAll("%25", "%");
          return Promise.resolve(
            url === "http://a.example/start"
              ? new Response(null, { status: 302, headers: { location: escaped } })
              : new Response("x"),
          );
        };
        const reached = await guardedFetch("http://a.example/start", {}, { fetch }).then(
          ({ url }) => url,
          () => undefined,
        );
        return { location, reached, sent };
      }),
    );
    // Any other host than the address is the public one, which redirects.
    const elsewhere = outcomes.filter(({ sent }) =>
      sent.some((url) => new URL(url).host !== "a.example"),
    );
    expect(elsewhere).toEqual([]);
  });
});

describe("a host name", () => {
  const long = (length: number): string => `${"a.".repeat(124)}${"a".repeat(length - 252)}.com`;

  it.each([
    ["as long as names can be", long(253), "sent"],
    ["longer than names can be", long(254), "EGRESS_REFUSED"],
    ["with a label as long as labels can be", `${"a".repeat(63)}.example`, "sent"],
    ["with a longer label", `${"a".repeat(64)}.example`, "EGRESS_REFUSED"],
    ["that a program would take for an option", "-oproxycommand.example", "EGRESS_REFUSED"],
    ["with a dash at the end of a label", "a-.example", "EGRESS_REFUSED"],
    ["with dashes and underscores", "_dmarc.a--b.example", "sent"],
    ["with a mark that a shell would read", "a$b.example", "EGRESS_REFUSED"],
    ["of one letter", "x.example", "sent"],
    ["that ends in a number", "a.example.1", "EGRESS_REFUSED"],
    ["that ends in a number of sixteen digits", "a.example.0x7f", "EGRESS_REFUSED"],
  ])("%s", async (_, host, outcome) => {
    expect(await ask(`https://${host}/`)).toMatchObject({ code: outcome });
  });
});

it.each(PUBLIC_FORMS)("the public address %s is requested", async (form) => {
  expect(await ask(form)).toMatchObject({ code: "sent", sent: [expect.any(String)] });
});

describe("an IP address", () => {
  /** IANA's special-purpose registries: the first and the last address of each block that is not plainly public. */
  it.each([
    ["0.0.0.0", "0.255.255.255"],
    ["10.0.0.0", "10.255.255.255"],
    ["100.64.0.0", "100.127.255.255"],
    ["127.0.0.0", "127.255.255.255"],
    ["169.254.0.0", "169.254.255.255"],
    ["172.16.0.0", "172.31.255.255"],
    ["192.0.0.0", "192.0.0.255"],
    ["192.0.2.0", "192.0.2.255"],
    ["192.31.196.0", "192.31.196.255"],
    ["192.52.193.0", "192.52.193.255"],
    ["192.88.99.0", "192.88.99.255"],
    ["192.168.0.0", "192.168.255.255"],
    ["192.175.48.0", "192.175.48.255"],
    ["198.18.0.0", "198.19.255.255"],
    ["198.51.100.0", "198.51.100.255"],
    ["203.0.113.0", "203.0.113.255"],
    ["224.0.0.0", "255.255.255.255"],
    ["::", "::ffff:ffff"],
    ["::ffff:0:0", "::ffff:ffff:ffff"],
    ["64:ff9b::", "64:ff9b::ffff:ffff"],
    ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
    ["100::", "100::ffff:ffff:ffff:ffff"],
    ["100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"],
    ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"],
    ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ])("from %s to %s is not public", (first, last) => {
    expect(addressProblem(first)).toBeDefined();
    expect(addressProblem(last)).toBeDefined();
  });

  it.each([
    ["169.254.169.254", "metadata"],
    ["169.254.1.1", "link-local"],
    ["100.64.0.1", "carrier-nat"],
    ["10.0.0.1", "private"],
    ["fd00::1", "private"],
    ["fec0::1", "private"],
    ["0.0.0.0", "unspecified"],
    ["255.255.255.255", "multicast"],
    ["203.0.113.1", "reserved"],
    ["::7f00:1", "embedded"],
    ["::ffff:7f00:1", "embedded"],
    ["64:ff9b::7f00:1", "embedded"],
    ["2002:7f00:1::", "embedded"],
    ["::1:7f00:1", "reserved"],
    ["4000::1", "reserved"],
  ])("reports why %s is not public: %s", (address, reason) => {
    expect(addressProblem(address)).toBe(reason);
  });

  it("in a resolver's notation is accepted only when unambiguous", () => {
    for (const text of ["127.1", "0177.0.0.1", "08.8.8.8", "1", "fe80::1%eth0", "a.example", ""]) {
      expect(addressProblem(text)).toBe("malformed");
    }
    expect(addressProblem("93.184.215.14")).toBeUndefined();
    expect(addressProblem("2606:2800:21f:cb07:6820:80da:af6b:8b2c")).toBeUndefined();
  });

  it("belongs to the range that ipaddr.js finds", () => {
    const octets = [
      0, 1, 2, 10, 15, 16, 31, 32, 51, 52, 63, 64, 88, 99, 100, 113, 127, 128, 168, 169,
    ];
    octets.push(172, 175, 192, 193, 196, 197, 198, 199, 203, 223, 224, 239, 240, 254, 255);
    const starts = [0, 0x64, 0x100, 0x1fff, 0x2000, 0x2001, 0x2002, 0x2620, 0x3ffe, 0x3fff, 0x4000];
    starts.push(0x5f00, 0xfbff, 0xfc00, 0xfdff, 0xfe00, 0xfe7f, 0xfe80, 0xfebf, 0xfec0, 0xff00);
    const parts = [0, 0, 1, 2, 3, 4, 0x10, 0x1f, 0x2f, 0x30, 0x4f, 0x112, 0x1ff, 0x200, 0xdb8];
    parts.push(0xfff, 0x1000, 0x7fff, 0x8000, 0x8001, 0xff9b, 0xffff);
    const inner = fc.constantFrom(...parts);
    const address = fc.oneof(
      fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(...octets))),
      fc.tuple(...Array.from({ length: 4 }, () => fc.nat(255))),
      fc.tuple(fc.constantFrom(...starts), ...Array.from({ length: 7 }, () => inner)),
      fc.tuple(...Array.from({ length: 8 }, () => fc.nat(0xffff))),
    );
    const text = address.map((all) =>
      all.length === 4 ? all.join(".") : all.map((part) => part.toString(16)).join(":"),
    );
    fc.assert(
      fc.property(text, (each) => addressProblem(each) === reasonByLibrary(each)),
      { numRuns: 20_000 },
    );
  });
});

/** Reasons by the library's names of ranges. Any other range but `unicast` is `reserved`. */
const REASONS: Readonly<Record<string, string>> = {
  unspecified: "unspecified",
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  linkLocal: "link-local",
  carrierGradeNat: "carrier-nat",
  multicast: "multicast",
  broadcast: "multicast",
  ipv4Mapped: "embedded",
  rfc6145: "embedded",
  rfc6052: "embedded",
  "6to4": "embedded",
  teredo: "embedded",
};

function reasonByLibrary(address: string): string | undefined {
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range !== "unicast") return REASONS[range] ?? "reserved";
  if (parsed instanceof ipaddr.IPv4 || parsed.match(ipaddr.IPv6.parse("2000::"), 3))
    return undefined;
  return parsed.parts.slice(0, 6).every((part) => part === 0) ? "embedded" : "reserved";
}
