import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** File descriptors to read a command's output from. */
export interface Readers {
  readonly stdout: number;
  readonly stderr: number;
}

/** A command's standard streams. */
export interface Channels {
  /** File descriptors for the command. `stdin` and `script` are files, for texts that are there from the start. */
  readonly stdin: number | "ignore";
  readonly stdout: number;
  readonly stderr: number;
  readonly script: number | undefined;
  /** Our ends of its output. */
  readonly readers: Readers;
  /** Closes the command's ends in this process, once the command has them or was not started. */
  handOver(): void;
}

/**
 * Opens real pipes and files. The pipes of `spawn` are sockets, which can't be opened by name: with them `echo oops >
 * /dev/stderr` and `cat /dev/stdin` fail.
 */
export async function openChannels(texts: {
  stdin: string | undefined;
  script: string | undefined;
}): Promise<Channels> {
  const directory = await mkdtemp(join(tmpdir(), "robota-"));
  const opened: number[] = [];
  const openNow = (name: string, flags: number): number => {
    const descriptor = openSync(join(directory, name), flags);
    opened.push(descriptor);
    return descriptor;
  };
  const openText = async (name: string, text: string): Promise<number> => {
    await using file = await open(join(directory, name), "wx", 0o600);
    await file.writeFile(text);
    return openNow(name, O_RDONLY);
  };

  try {
    await promisify(execFile)("mkfifo", [join(directory, "stdout"), join(directory, "stderr")]);
    // The reading end first, and without waiting for a writer: then the writing end opens at once as well.
    const readers = {
      stdout: openNow("stdout", O_RDONLY | O_NONBLOCK),
      stderr: openNow("stderr", O_RDONLY | O_NONBLOCK),
    };
    const [stdout, stderr] = [openNow("stdout", O_WRONLY), openNow("stderr", O_WRONLY)];
    const { stdin, script } = texts;
    return {
      stdin: stdin === undefined ? "ignore" : await openText("stdin", stdin),
      stdout,
      stderr,
      script: script === undefined ? undefined : await openText("script", script),
      readers,
      // All but the two readers, which were opened first.
      handOver: () => opened.slice(2).forEach((descriptor) => closeSync(descriptor)),
    };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  } finally {
    // Open descriptors outlive their names.
    await rm(directory, { recursive: true });
  }
}
