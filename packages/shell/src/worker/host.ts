import {
  errorMessage,
  FileSystemError,
  type FileSystem,
  type ShellOptions,
} from "@robota/runtime/ports";
import { refusesWorktreeFile } from "../files/guarded-files.ts";
import { createOutbox } from "./outbox.ts";
import type { FetchRequest, RunFetch, RunNetwork } from "../network.ts";
import type { FetchOutcome, HostCall, HostReply } from "./protocol.ts";

export interface Host {
  fs: FileSystem;
  /** The inside of repositories for `git`. */
  gitFs?: FileSystem | undefined;
  /** The working tree for `git`; without it, `git` has the files of any command. */
  worktreeFs?: ((cloned: string | undefined) => FileSystem) | undefined;
  /** The network, judged on this side, which has the rules. */
  network: RunNetwork;
  /** Aborts at the end of the command. */
  signal?: AbortSignal | undefined;
  rules?: ShellOptions["rules"];
}

/** Answers calls of a worker. `hostOf` returns the access of a command; calls of an ended command are refused. */
export function answerCalls(
  post: (replies: HostReply[], transfer: readonly ArrayBuffer[]) => void,
  hostOf: (command: number) => Host | undefined,
): (calls: readonly HostCall[]) => void {
  const reply = createOutbox<HostReply>(post);
  const answer = async (call: HostCall): Promise<void> => {
    const { id } = call;
    try {
      const host = hostOf(call.command);
      if (!host) throw new Error("The command was ended.");
      const value = await perform(host, call);
      reply({ id, value }, ownBuffer(value));
    } catch (error) {
      const { code, path, hint } =
        error instanceof FileSystemError
          ? error
          : new FileSystemError("EIO", "", { hint: errorMessage(error) });
      reply({ id, error: { code, path, hint } });
    }
  };
  return (calls) => {
    for (const call of calls) void answer(call);
  };
}

async function perform(host: Host, call: HostCall): Promise<unknown> {
  const { network, signal, rules, gitFs = host.fs } = host;
  const fs = call.worktree
    ? (host.worktreeFs?.(call.worktree.cloned) ?? host.fs)
    : call.isGit
      ? gitFs
      : host.fs;
  switch (call.method) {
    case "readFile":
      return fs.readFile(...call.args);
    case "writeFile":
      return fs.writeFile(...call.args);
    case "appendFile":
      return fs.appendFile(...call.args);
    case "stat":
      return fs.stat(...call.args);
    case "lstat":
      return fs.lstat(...call.args);
    case "readdir":
      return fs.readdir(...call.args);
    case "mkdir":
      return fs.mkdir(...call.args);
    case "remove":
      return fs.remove(...call.args);
    case "rename":
      return fs.rename(...call.args);
    case "symlink":
      return fs.symlink(...call.args);
    case "readlink":
      return fs.readlink(...call.args);
    case "realpath":
      return fs.realpath(...call.args);
    case "chmod":
      return fs.chmod(...call.args);
    case "utimes":
      return fs.utimes(...call.args);
    case "refusesCommand":
      return rules?.refusesCommand(...call.args);
    case "refusesWorktree": {
      const [paths, cloned] = call.args;
      return rules ? paths.flatMap((path) => refusesWorktreeFile(rules, path, cloned) ?? []) : [];
    }
    case "fetch":
      return outcomeOf(network.curl, ...call.args, signal);
    case "gitFetch":
      return outcomeOf(network.git, ...call.args, signal);
  }
}

async function outcomeOf(
  fetch: RunFetch | undefined,
  request: FetchRequest,
  signal: AbortSignal | undefined,
): Promise<FetchOutcome> {
  if (!fetch) return { failure: "This shell has no network." };
  try {
    return { answer: await fetch(request, signal) };
  } catch (error) {
    return { failure: errorMessage(error) };
  }
}

/** Buffers to transfer instead of copying: file contents belong to the caller that requested them. */
function ownBuffer(value: unknown): readonly ArrayBuffer[] {
  const isWhole = value instanceof Uint8Array && value.byteLength === value.buffer.byteLength;
  return isWhole && value.buffer instanceof ArrayBuffer ? [value.buffer] : [];
}
