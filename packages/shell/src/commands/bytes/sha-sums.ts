import type { ShellCommand } from "../../command.ts";
import { digestProgram } from "./digest-program.ts";

/** A program over the host's own digests. */
function shaProgram(name: string, algorithm: string): ShellCommand {
  return digestProgram(name, {
    tag: algorithm.replace("-", ""),
    of: async (bytes) => new Uint8Array(await crypto.subtle.digest(algorithm, bytes.slice())),
  });
}

export const sha1sum = shaProgram("sha1sum", "SHA-1");

export const sha256sum = shaProgram("sha256sum", "SHA-256");

export const sha384sum = shaProgram("sha384sum", "SHA-384");

export const sha512sum = shaProgram("sha512sum", "SHA-512");
