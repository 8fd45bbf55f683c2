import { compress } from "@robota/runtime/virtual";
import { bytesOf, MANIFEST, type Member, tarGzOf, zipOf } from "./bundle-files.ts";

/** An archive that no honest author makes, and what becomes of it. */
export interface HostileArchive {
  name: string;
  bytes: () => Promise<Uint8Array>;
  /** The error's code, or `contained`: it is installed, and nothing of its tricks is. */
  outcome: "BUNDLE_UNSAFE" | "BUNDLE_TOO_LARGE" | "BUNDLE_DAMAGED" | "BUNDLE_INVALID" | "contained";
}

const MEGABYTE = 1024 * 1024;
const manifest: Member = { name: "plugin.json", text: JSON.stringify(MANIFEST) };
const withManifest = (...members: Member[]): Member[] => [manifest, ...members];

/** Bytes that no compression makes small. */
function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0, state = seed; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

/** Names that are refused in every kind of archive. */
const NAMES: Record<string, readonly string[]> = {
  "a name that leads out": ["../escape.md"],
  "a name that leads out from further below": ["a/b/../../../escape.md"],
  "an absolute name": ["/etc/cron.d/evil"],
  "a name with a drive": ["C:/Windows/evil.dll"],
  "a name with a drive that leads out": ["C:../evil.md"],
  "a name with the separators of Windows": ["..\\..\\evil.md"],
  "a network share": ["\\\\server\\share\\evil.md"],
  "a name with a line break": ["commands/a\nb.md"],
  "a name with an escape sequence": ["commands/\u001b[2Ka.md"],
  "a name that is shown backwards": ["commands/\u202ednammoc.md"],
  "a name with an invisible letter": ["commands/a\u200db.md"],
  "a name that ends in a dot": ["commands/a.md."],
  "a name that ends in a space": ["commands/a.md "],
  "a folder that ends in a dot": ["commands./a.md"],
  "the name of a device": ["commands/aux.md"],
  "the name of a device as a folder": ["NUL/a.md"],
  "a stream of a file": ["commands/a.md:hidden"],
  "a name with nothing between two slashes": ["commands//a.md"],
  "a name with a dot between two slashes": ["commands/./a.md"],
  "33 folders": [`${"d/".repeat(32)}a.md`],
  "a name of 300 letters": [`commands/${"a".repeat(300)}.md`],
  "a path of 2,000 letters": [`${`${"a".repeat(99)}/`.repeat(20)}a.md`],
  "the same file twice": ["commands/a.md", "commands/a.md"],
  "the manifest twice": ["plugin.json"],
  "names that differ by case": ["commands/README.md", "commands/readme.md"],
  "folders that differ by case": ["Commands/a.md", "commands/b.md"],
  "names that differ by composition": ["commands/caf\u00e9.md", "commands/cafe\u0301.md"],
  "names that differ by a ligature": ["commands/\ufb01le.md", "commands/file.md"],
  "names that differ by a Kelvin sign": ["commands/\u212aey.md", "commands/key.md"],
  "a file that is a folder as well": ["commands/a", "commands/a/b.md"],
  "a folder that is a file as well": ["commands/a/b.md", "commands/a"],
};

const LINKS: Record<string, Member[]> = {
  "a symbolic link out of it": [{ name: "commands/a.md", type: "symlink", target: "/etc/passwd" }],
  "a symbolic link within it": [
    { name: "commands/a.md", type: "symlink", target: "../plugin.json" },
  ],
  "a symbolic link that a later file is written through": [
    { name: "out", type: "symlink", target: "/tmp" },
    { name: "out/evil.md", text: "evil" },
  ],
};

const ZEROS = new Uint8Array(7 * MEGABYTE);

/** Content that is refused in every kind of archive. */
const CONTENTS: Record<string, () => Member[]> = {
  "a file of over 8 MB": () => [{ name: "big", bytes: noise(8 * MEGABYTE + 1) }],
  "over 64 MB in files of 7 MB": () =>
    Array.from({ length: 10 }, (_, at) => ({
      name: `f${at}`,
      bytes: at === 0 ? noise(MEGABYTE) : ZEROS,
    })),
  "zeros at a thousandth of their size": () => [{ name: "zeros", bytes: ZEROS }],
  "2,001 files": () =>
    Array.from({ length: 2000 }, (_, at) => ({ name: `f/${at}`, text: `${at}` })),
  "2,001 folders": () =>
    Array.from({ length: 2000 }, (_, at) => ({ name: `d${at}/`, type: "directory" as const })),
};

export const HOSTILE: readonly HostileArchive[] = [
  ...Object.entries(NAMES).flatMap(([name, names]) =>
    both(name, "BUNDLE_UNSAFE", () =>
      withManifest(...names.map((one, at) => ({ name: one, text: `${at}` }))),
    ),
  ),
  ...Object.entries(LINKS).flatMap(([name, members]) =>
    both(name, "BUNDLE_UNSAFE", () => withManifest(...members)),
  ),
  ...Object.entries(CONTENTS).flatMap(([name, members]) =>
    both(name, "BUNDLE_TOO_LARGE", () => withManifest(...members())),
  ),
  ...both("set-user-id, executable and world-writable files", "contained", () =>
    withManifest({ name: "scripts/run.sh", text: "echo hi", mode: 0o6777 }),
  ),
  ...both("no manifest", "BUNDLE_INVALID", () => [{ name: "readme.md", text: "hi" }]),
  ...tars(),
  ...streams(),
  ...zips(),
].map(packedOnce);

/** Packs an archive once for all who ask for it, since a large one takes a while. */
function packedOnce(archive: HostileArchive): HostileArchive {
  let packed: Promise<Uint8Array> | undefined;
  return { ...archive, bytes: () => (packed ??= archive.bytes()) };
}

function both(
  name: string,
  outcome: HostileArchive["outcome"],
  members: () => Member[],
): HostileArchive[] {
  return [
    { name: `zip: ${name}`, outcome, bytes: () => zipOf(members()) },
    { name: `tar.gz: ${name}`, outcome, bytes: () => tarGzOf(members()) },
  ];
}

interface Block {
  name?: string;
  flag?: string;
  content?: Uint8Array;
  target?: string;
  /** The field of the size, as it is written. */
  size?: Uint8Array;
  mode?: string;
  sum?: string;
}

/** One member of a tar, with any nonsense in its header. */
function block({ name = "x", flag = "0", content = bytesOf(""), ...more }: Block): Uint8Array {
  const head = new Uint8Array(512);
  const put = (at: number, text: string | Uint8Array): void =>
    head.set(typeof text === "string" ? bytesOf(text) : text, at);
  put(0, name);
  put(100, more.mode ?? "0000644\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, more.size ?? `${content.length.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(156, flag);
  put(157, more.target ?? "");
  put(257, "ustar\u000000");
  put(148, " ".repeat(8));
  const sum = head.reduce((total, byte) => total + byte, 0);
  put(148, more.sum ?? `${sum.toString(8).padStart(6, "0")}\0 `);
  const padding = new Uint8Array((512 - (content.length % 512)) % 512);
  return concat([head, content, padding]);
}

/** An extended header; `length` is what it says of its own length. */
function pax(key: string, value: string, flag = "x"): Uint8Array {
  const body = ` ${key}=${value}\n`;
  let length = body.length;
  while (`${length}`.length + body.length !== length) length = `${length}`.length + body.length;
  return block({ name: "PaxHeader", flag, content: bytesOf(`${length}${body}`) });
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const END = new Uint8Array(1024);
const manifestBlock = block({ name: "plugin.json", content: bytesOf(JSON.stringify(MANIFEST)) });

function tars(): HostileArchive[] {
  const tar = (
    name: string,
    outcome: HostileArchive["outcome"],
    ...parts: Uint8Array[]
  ): HostileArchive => ({
    name: `tar: ${name}`,
    outcome,
    bytes: async () => concat([manifestBlock, ...parts, END]),
  });
  const size = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
  const file = block({ name: "a.md", content: bytesOf("text") });
  return [
    tar("a hard link", "BUNDLE_UNSAFE", block({ name: "a.md", flag: "1", target: "/etc/passwd" })),
    tar(
      "a hard link by way of a symbolic one",
      "BUNDLE_UNSAFE",
      block({ name: "s", flag: "2", target: "/" }),
      block({ name: "a.md", flag: "1", target: "s/etc/passwd" }),
    ),
    tar("a character device", "BUNDLE_UNSAFE", block({ name: "dev", flag: "3" })),
    tar("a block device", "BUNDLE_UNSAFE", block({ name: "dev", flag: "4" })),
    tar("a named pipe", "BUNDLE_UNSAFE", block({ name: "pipe", flag: "6" })),
    tar("a sparse file", "BUNDLE_UNSAFE", block({ name: "sparse", flag: "S" })),
    tar("a kind that nobody knows", "BUNDLE_UNSAFE", block({ name: "x", flag: "Z" })),
    tar("a path of an extended header that leads out", "BUNDLE_UNSAFE", pax("path", "../x"), file),
    tar("a path of an extended header with a zero", "BUNDLE_UNSAFE", pax("path", "a\0.md"), file),
    tar("a path of an extended header that is a number", "contained", pax("path", "123"), file),
    tar("a path for all members that leads out", "contained", pax("path", "../x", "g"), file),
    tar("a size below zero in an extended header", "BUNDLE_DAMAGED", pax("size", "-512"), file),
    tar("no size in an extended header", "BUNDLE_DAMAGED", pax("size", "NaN"), file),
    tar("an endless size in an extended header", "BUNDLE_DAMAGED", pax("size", "1e400"), file),
    tar(
      "5,000 folders in an extended header",
      "BUNDLE_UNSAFE",
      pax("path", `${"d/".repeat(5000)}a.md`),
      file,
    ),
    tar(
      "an extended header of over 1 MB",
      "BUNDLE_DAMAGED",
      block({ name: "PaxHeader", flag: "x", content: noise(MEGABYTE + 512) }),
      file,
    ),
    tar(
      "a size below zero in base 256",
      "BUNDLE_DAMAGED",
      block({ name: "a.md", size: size(255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 254, 0) }),
    ),
    tar(
      "a size of 2^80 in base 256",
      "BUNDLE_DAMAGED",
      block({ name: "a.md", size: size(128, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }),
    ),
    tar("a size that is no number", "BUNDLE_DAMAGED", block({ name: "a.md", size: bytesOf("zz") })),
    tar(
      "a size of 8 GB without content",
      "BUNDLE_TOO_LARGE",
      block({ name: "a.md", size: bytesOf("77777777777\0") }),
    ),
    tar("a wrong checksum", "BUNDLE_DAMAGED", block({ name: "a.md", sum: "000000\0 " })),
    tar(
      "a long name of GNU that leads out",
      "BUNDLE_UNSAFE",
      block({ name: "././@LongLink", flag: "L", content: bytesOf("../../evil.md\0") }),
      file,
    ),
  ];
}

/** Streams that are no whole archive. */
function streams(): HostileArchive[] {
  return [
    {
      name: "tar: an end within a file",
      outcome: "BUNDLE_DAMAGED",
      bytes: async () => concat([manifestBlock, block({ content: noise(2000) }).slice(0, 1024)]),
    },
    {
      name: "tar.gz: an end within the compressed bytes",
      outcome: "BUNDLE_DAMAGED",
      bytes: async () =>
        (await tarGzOf(withManifest({ name: "a", bytes: noise(5000) }))).slice(0, -900),
    },
    {
      name: "tar.gz: a second stream behind the first, which unpacks to 500 MB",
      outcome: "BUNDLE_DAMAGED",
      bytes: async () => {
        const zeros = await compress(new Uint8Array(16 * MEGABYTE), "gzip");
        const first = await compress(manifestBlock, "gzip");
        return concat([first, ...Array<Uint8Array>(32).fill(zeros)]);
      },
    },
    {
      name: "tar.gz: an archive of nothing",
      outcome: "BUNDLE_DAMAGED",
      bytes: () => compress(new Uint8Array(), "gzip"),
    },
    { name: "nothing at all", outcome: "BUNDLE_DAMAGED", bytes: async () => new Uint8Array() },
    {
      name: "a page instead of an archive",
      outcome: "BUNDLE_DAMAGED",
      bytes: async () => bytesOf(`<!doctype html>${" ".repeat(600)}`),
    },
    {
      name: "a 7z archive",
      outcome: "BUNDLE_DAMAGED",
      bytes: async () => Uint8Array.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, ...noise(600)]),
    },
    { name: "tar: bytes by chance", outcome: "BUNDLE_DAMAGED", bytes: async () => noise(4096, 7) },
  ];
}

/** A zip with its bytes changed where `find` first stands, in both of its records or in one. */
async function patched(
  members: Member[],
  change: (bytes: Uint8Array, view: DataView, central: number, end: number) => void,
): Promise<Uint8Array> {
  const bytes = (await zipOf(members)).slice();
  const view = new DataView(bytes.buffer);
  const end = bytes.length - 22;
  change(bytes, view, view.getUint32(end + 16, true), end);
  return bytes;
}

function zips(): HostileArchive[] {
  const one = withManifest({ name: "commands/a.md", text: "text of a command" });
  const zip = (
    name: string,
    outcome: HostileArchive["outcome"],
    change: Parameters<typeof patched>[1],
    members: Member[] = one,
  ): HostileArchive => ({ name: `zip: ${name}`, outcome, bytes: () => patched(members, change) });
  return [
    zip("a name with a zero", "BUNDLE_UNSAFE", (bytes) =>
      replace(bytes, "commands/a.md", "commands/a\0md"),
    ),
    zip("a name that is no text", "BUNDLE_UNSAFE", (bytes) =>
      replace(bytes, "commands/a.md", "commands/\u00ff.md", true),
    ),
    zip("another name in front of the content", "contained", (bytes) =>
      replaceFirst(bytes, "commands/a.md", "../../../a.md"),
    ),
    zip("encrypted files", "BUNDLE_DAMAGED", (_, view, central) =>
      view.setUint16(central + 8, 1, true),
    ),
    zip("an unknown compression", "BUNDLE_DAMAGED", (_, view, central) =>
      view.setUint16(central + 10, 99, true),
    ),
    zip("a wrong checksum", "BUNDLE_DAMAGED", (_, view, central) =>
      view.setUint32(central + 16, 7, true),
    ),
    zip("a smaller size than the content", "BUNDLE_DAMAGED", (_, view, central) =>
      view.setUint32(central + 24, 1, true),
    ),
    zip("a larger size than the content", "BUNDLE_DAMAGED", (_, view, central) =>
      view.setUint32(central + 24, 4000, true),
    ),
    zip("a size of 4 GB", "BUNDLE_TOO_LARGE", (_, view, central) =>
      view.setUint32(central + 24, 0xfffffff0, true),
    ),
    zip("content outside of the archive", "BUNDLE_DAMAGED", (_, view, central) =>
      view.setUint32(central + 42, 0xfffff0, true),
    ),
    zip("more entries than there are", "BUNDLE_DAMAGED", (_, view, __, end) =>
      view.setUint16(end + 10, 500, true),
    ),
    zip("a directory outside of the archive", "BUNDLE_DAMAGED", (_, view, __, end) =>
      view.setUint32(end + 16, 0xffffff0, true),
    ),
    zip("no end", "BUNDLE_DAMAGED", (bytes, _, __, end) => bytes.fill(0, end)),
    zip("a device by its mode", "contained", (_, view, central) =>
      view.setUint32(central + 38, 0o020666 * 65536, true),
    ),
    {
      name: "zip: 1,000 names for the same 1 MB",
      outcome: "BUNDLE_TOO_LARGE",
      bytes: () => overlapping(1000),
    },
  ];
}

function indexOf(bytes: Uint8Array, text: Uint8Array, from = 0): number {
  for (let at = from; at + text.length <= bytes.length; at += 1)
    if (text.every((byte, offset) => bytes[at + offset] === byte)) return at;
  return -1;
}

function replaceFirst(bytes: Uint8Array, text: string, by: string): number {
  const at = indexOf(bytes, bytesOf(text));
  bytes.set(bytesOf(by), at);
  return at;
}

function replace(bytes: Uint8Array, text: string, by: string, isLatin = false): void {
  const written = isLatin ? Uint8Array.from(by, (letter) => letter.charCodeAt(0)) : bytesOf(by);
  for (let at = indexOf(bytes, bytesOf(text)); at !== -1; at = indexOf(bytes, bytesOf(text)))
    bytes.set(
      written.length === text.length
        ? written
        : concat([written, bytesOf(" ".repeat(9))]).slice(0, text.length),
      at,
    );
}

/** A zip whose directory names one content many times. */
async function overlapping(count: number): Promise<Uint8Array> {
  const whole = await zipOf(withManifest({ name: "kernel0000", bytes: noise(MEGABYTE) }));
  const view = new DataView(whole.buffer, whole.byteOffset);
  const end = whole.length - 22;
  const central = view.getUint32(end + 16, true);
  const second = indexOf(whole, Uint8Array.of(0x50, 0x4b, 1, 2), central + 4);
  const record = whole.slice(second, end);
  const more = Array.from({ length: count }, (_, at) => {
    const copy = record.slice();
    copy.set(bytesOf(`kernel${`${at + 1}`.padStart(4, "0")}`), 46);
    return copy;
  });
  const tail = whole.slice(end);
  const numbers = new DataView(tail.buffer);
  numbers.setUint16(8, count + 2, true);
  numbers.setUint16(10, count + 2, true);
  return concat([whole.slice(0, end), ...more, tail]);
}
