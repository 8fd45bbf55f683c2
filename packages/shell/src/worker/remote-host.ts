import { FileSystemError } from "@robota/runtime/ports";
import type { GitWorktree } from "../command.ts";
import { createOutbox } from "./outbox.ts";
import type { FetchRequest, RunFetch } from "../network.ts";
import type { FetchOutcome, HostCall, HostReply, RemoteFiles } from "./protocol.ts";

/** A command's access to its host. */
export interface RemoteHost {
  readonly fs: RemoteFiles;
  readonly gitFs: RemoteFiles;
  readonly gitWorktree: GitWorktree;
  readonly fetch: RunFetch;
  readonly gitFetch: RunFetch;
  readonly refusesCommand: (words: readonly string[], cwd: string) => Promise<string | undefined>;
}

interface Calls extends RemoteFiles {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  gitFetch(request: FetchRequest): Promise<FetchOutcome>;
  refusesCommand(words: readonly string[], cwd: string): Promise<string | undefined>;
  refusesWorktree(paths: readonly string[], cloned: string | undefined): Promise<readonly string[]>;
}

/** Connects to the host of a worker: returns its view by command, and the handler of replies. */
export function connectHost(send: (calls: HostCall[]) => void): {
  hostFor: (command: number) => RemoteHost;
  take: (replies: readonly HostReply[]) => void;
} {
  const post = createOutbox<HostCall>(send);
  const waiting = new Map<number, (reply: HostReply) => void>();
  let lastId = 0;
  const take = (replies: readonly HostReply[]): void => {
    for (const reply of replies) {
      waiting.get(reply.id)?.(reply);
      waiting.delete(reply.id);
    }
  };

  const callFor =
    (command: number, of: Pick<HostCall, "isGit" | "worktree">) =>
    <Method extends keyof Calls>(method: Method) =>
    (...args: Parameters<Calls[Method]>): Promise<Awaited<ReturnType<Calls[Method]>>> =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, (reply) => {
          if ("error" in reply) {
            const { code, path, hint } = reply.error;
            return reject(new FileSystemError(code, path, { hint }));
          }
          // The other side is this package too, so each reply has its method's type.
          resolve(reply.value as Awaited<ReturnType<Calls[Method]>>);
        });
        // A method and its arguments correlate, which a union type can't express.
        post({ id, command, method, args, ...of } as HostCall);
      });

  return {
    hostFor: (command) => hostOf((of = {}) => callFor(command, of)),
    take,
  };
}

type Call = <Method extends keyof Calls>(
  method: Method,
) => (...args: Parameters<Calls[Method]>) => Promise<Awaited<ReturnType<Calls[Method]>>>;

function filesOf(call: Call): RemoteFiles {
  return {
    readFile: call("readFile"),
    writeFile: call("writeFile"),
    appendFile: call("appendFile"),
    stat: call("stat"),
    lstat: call("lstat"),
    readdir: call("readdir"),
    mkdir: call("mkdir"),
    remove: call("remove"),
    rename: call("rename"),
    symlink: call("symlink"),
    readlink: call("readlink"),
    realpath: call("realpath"),
    chmod: call("chmod"),
    utimes: call("utimes"),
  };
}

function hostOf(callFor: (of?: Pick<HostCall, "isGit" | "worktree">) => Call): RemoteHost {
  const call = callFor();
  return {
    refusesCommand: call("refusesCommand"),
    fs: filesOf(call),
    gitFs: filesOf(callFor({ isGit: true })),
    gitWorktree: {
      files: (cloned) => filesOf(callFor({ worktree: { cloned } })),
      refusals: call("refusesWorktree"),
    },
    fetch: fetchBy(call("fetch")),
    gitFetch: fetchBy(call("gitFetch")),
  };
}

/** Fetches through the host. An abort is not sent: the host aborts a command's requests when the command ends. */
function fetchBy(send: (request: FetchRequest) => Promise<FetchOutcome>): RunFetch {
  return async (request) => {
    const outcome = await send(request);
    if ("failure" in outcome) throw new Error(outcome.failure);
    return outcome.answer;
  };
}
