import { encodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments, readOperand, readTextOperand } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A `...sum` program over the host's own digests. */
function digestNamed(name: string, algorithm: string): ShellCommand {
  const digest = async (bytes: Uint8Array): Promise<string> =>
    hexOf(new Uint8Array(await crypto.subtle.digest(algorithm, bytes.slice())));
  return {
    name,
    async run(args, context) {
      const { options, operands } = parseArguments(args, {
        flags: "bctwz",
        long: { binary: "b", check: "c", text: "t", warn: "w", quiet: "q", status: "status" },
      });
      let stdout = "";
      if (!options.has("c")) {
        const failed = await forEachOperand(name, operands, async (operand) => {
          stdout += `${await digest(await readOperand(context, operand))}  ${operand}\n`;
        });
        return { stdout, ...failed };
      }
      let [bad, unread, stderr] = [0, 0, ""];
      const failed = await forEachOperand(name, operands, async (operand) => {
        for (const line of (await readTextOperand(context, operand)).split("\n")) {
          const [, wanted, path] = /^([\da-f]+) [ *](.+)$/i.exec(line) ?? [];
          if (wanted === undefined || path === undefined) continue;
          const bytes = await readOperand(context, path).catch(() => undefined);
          const isSame = bytes !== undefined && (await digest(bytes)) === wanted.toLowerCase();
          const word = isSame ? "OK" : bytes ? "FAILED" : "FAILED open or read";
          if (!bytes) unread += 1;
          else if (!isSame) bad += 1;
          if (!options.has("status") && !(isSame && options.has("q")))
            stdout += `${path}: ${word}\n`;
        }
      });
      const warn = (count: number, one: string, many: string): void => {
        if (count > 0) stderr += `${name}: WARNING: ${count} ${count === 1 ? one : many}\n`;
      };
      warn(unread, "listed file could not be read", "listed files could not be read");
      warn(bad, "computed checksum did NOT match", "computed checksums did NOT match");
      const exitCode = bad + unread > 0 ? 1 : failed.exitCode;
      return { stdout, stderr: failed.stderr + stderr, exitCode };
    },
  };
}

export const sha1sum = digestNamed("sha1sum", "SHA-1");
export const sha256sum = digestNamed("sha256sum", "SHA-256");
export const sha384sum = digestNamed("sha384sum", "SHA-384");
export const sha512sum = digestNamed("sha512sum", "SHA-512");

/** The interpreter's own, but with its warnings on stderr. */
export const md5sum: ShellCommand = {
  name: "md5sum",
  async run(args, { original }) {
    const result = await original(args);
    const text = typeof result.stdout === "string" ? result.stdout : "";
    const warnings = text.match(/^md5sum: WARNING.*\n/gm)?.join("") ?? "";
    if (warnings === "") return result;
    return { ...result, stdout: text.replace(warnings, ""), stderr: result.stderr + warnings };
  },
};

const BYTES_PER_LOOK = 4096;

/** POSIX's CRC, which is not the one of zip. */
export const cksum: ShellCommand = {
  name: "cksum",
  async run(args, context) {
    const { operands } = parseArguments(args, {});
    let stdout = "";
    const failed = await forEachOperand("cksum", operands, async (operand) => {
      const bytes = await readOperand(context, operand);
      let [crc, steps] = [0, 0];
      const feed = (byte: number): void => {
        crc ^= byte << 24;
        for (let bit = 0; bit < 8; bit++)
          crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
      };
      for (const byte of bytes) {
        feed(byte);
        steps += 1;
        if (steps % BYTES_PER_LOOK !== 0) continue;
        const turn = context.pace(BYTES_PER_LOOK);
        if (turn) await turn;
      }
      for (let length = bytes.length; length > 0; length = Math.floor(length / 256))
        feed(length & 255);
      const name = operands.length === 0 ? "" : ` ${operand}`;
      stdout += `${~crc >>> 0} ${bytes.length}${name}\n`;
    });
    return { stdout, ...failed };
  },
};

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const base32: ShellCommand = {
  name: "base32",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "di",
      valued: "w",
      long: { decode: "d", wrap: "w", "ignore-garbage": "i" },
    });
    const bytes = await readOperand(context, operands[0] ?? "-");
    if (options.has("d")) return { stdout: decode32(new TextDecoder().decode(bytes)) };
    let [text, buffer, bits] = ["", 0, 0];
    for (const byte of bytes) {
      buffer = (buffer << 8) | byte;
      for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(buffer >> (bits - 5)) & 31];
      buffer &= 255;
    }
    if (bits > 0) text += BASE32[(buffer << (5 - bits)) & 31];
    text = text.padEnd(Math.ceil(text.length / 8) * 8, "=");
    const width = Number(options.get("w") ?? 76);
    if (width === 0) return { stdout: text };
    return { stdout: text.replace(new RegExp(`.{1,${width}}`, "g"), "$&\n") };
  },
};

function decode32(text: string): Uint8Array {
  const bytes: number[] = [];
  let [buffer, bits] = [0, 0];
  for (const letter of text.replace(/[\s=]+/g, "")) {
    const value = BASE32.indexOf(letter);
    if (value === -1) throw new Error("invalid input");
    buffer = (buffer << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 255);
    buffer &= (1 << bits) - 1;
  }
  return Uint8Array.from(bytes);
}

/** Tells apart what is no base64, which the interpreter's own lets pass; prints what came before it. */
export const base64: ShellCommand = {
  name: "base64",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "dDi",
      valued: "w",
      long: { decode: "d", wrap: "w", "ignore-garbage": "i" },
    });
    const bytes = await readOperand(context, operands[0] ?? "-");
    if (options.has("d") || options.has("D")) {
      const text = new TextDecoder().decode(bytes).replace(/\s+/g, "");
      const letters = options.has("i") ? text.replace(/[^A-Za-z0-9+/=]/g, "") : text;
      const valid = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?/.exec(letters)?.[0] ?? "";
      const stdout = fromByteString(atob(valid.replace(/=+$/, "")));
      if (valid === letters) return { stdout };
      return { stdout, stderr: "base64: invalid input\n", exitCode: 1 };
    }
    const text = btoa(toByteString(bytes));
    const width = Number(options.get("w") ?? 76);
    if (width === 0 || text === "") return { stdout: encodeText(text) };
    return { stdout: text.replace(new RegExp(`.{1,${width}}`, "g"), "$&\n") };
  },
};
