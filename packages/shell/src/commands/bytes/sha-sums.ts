import type { ShellCommand } from "../../command.ts";
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
