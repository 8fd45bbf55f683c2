import { StringDecoder } from "node:string_decoder";
import type { ShellOutput } from "@robota/runtime/ports";

type Stream = ShellOutput["stream"];

/** Collects a command's output, up to a number of bytes; the rest costs no memory. */
export class BoundedOutput {
  // Characters arrive in pieces: a decoder for each stream keeps the beginning of one until its end comes.
  readonly #decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  readonly #texts: Record<Stream, string[]> = { stdout: [], stderr: [] };
  readonly #listener: (chunk: ShellOutput) => void;
  #bytesLeft: number;
  #isTruncated = false;

  constructor(maxBytes: number, listener: (chunk: ShellOutput) => void) {
    this.#bytesLeft = maxBytes;
    this.#listener = listener;
  }

  write(stream: Stream, chunk: Buffer): void {
    if (!this.#isTruncated) this.#keep(stream, this.#decoders[stream].write(chunk));
  }

  /** Ends the output. */
  end(): { stdout: string; stderr: string; truncated: boolean } {
    for (const stream of ["stdout", "stderr"] as const) {
      if (!this.#isTruncated) this.#keep(stream, this.#decoders[stream].end());
    }
    const { stdout, stderr } = this.#texts;
    return { stdout: stdout.join(""), stderr: stderr.join(""), truncated: this.#isTruncated };
  }

  #keep(stream: Stream, text: string): void {
    if (text === "") return;
    const bytes = Buffer.byteLength(text);
    this.#isTruncated = bytes > this.#bytesLeft;
    const kept = this.#isTruncated ? prefix(text, this.#bytesLeft) : text;
    this.#bytesLeft -= bytes;
    if (kept === "") return;
    this.#texts[stream].push(kept);
    this.#listener({ stream, text: kept });
  }
}

/** The longest prefix of `text` in whole characters that fits into `bytes`. */
function prefix(text: string, bytes: number): string {
  return new StringDecoder("utf8").write(Buffer.from(text).subarray(0, bytes));
}
