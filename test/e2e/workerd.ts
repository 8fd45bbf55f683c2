import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { bundleWorker } from "../../scripts/packaging/bundle-worker.ts";
import { onSmallDisk } from "../support/servers/small-disk.ts";

export interface WorkerOptions {
  /** The worker's main module, from the root of the repository. */
  entry: string;
  /** Durable Object classes by the name of their binding. */
  objects: Record<string, string>;
  /** Variables and secrets. */
  variables?: Record<string, string>;
  /** Lets it fetch from this machine; otherwise it reaches public addresses only. */
  reachesLoopback?: boolean;
  /** Host and port that all of its requests go to instead, wherever they are meant for, as if there were no TLS. */
  outbound?: string;
  /** The size of the disk that the objects are stored on, such as `4m`; that of this machine when omitted. */
  diskSize?: string;
}

/** A real workerd with a worker and the objects' storage on disk, which can be killed and started again. */
export interface Workerd extends AsyncDisposable {
  /** The directory that the objects are stored in, as this process reaches it. */
  readonly storage: string;
  /** Without a slash at the end. Another one after every start. */
  readonly url: string;
  /** The process id; it changes with every start. */
  readonly pid: number;
  /** SIGKILL: nothing of the process runs any more. */
  kill(): Promise<void>;
  /** Starts it again on the same storage, with these variables instead when given. */
  start(variables?: Record<string, string>): Promise<void>;
}

// The package has no types: its main export is the path of the binary.
const { default: workerdBinary } = createRequire(import.meta.url)("workerd") as { default: string };

// As in apps/edge-worker/wrangler.jsonc.
const COMPATIBILITY = `compatibilityDate = "2026-11-01", compatibilityFlags = ["no_nodejs_compat"]`;

export async function startWorkerd(options: WorkerOptions): Promise<Workerd> {
  const directory = await mkdtemp(join(tmpdir(), "robota-workerd-"));
  await mkdir(join(directory, "storage"));
  const modules = await bundle(options, directory);
  let child: ChildProcess | undefined;
  let url = "";

  const kill = async (): Promise<void> => {
    if (!child) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    child = undefined;
  };
  const start = async (variables = options.variables ?? {}): Promise<void> => {
    const text = configuration(options, { directory, modules, variables });
    await writeFile(join(directory, "config.capnp"), text);
    const serve = [workerdBinary, "serve", join(directory, "config.capnp"), "--control-fd=3"];
    const [program = "", ...args] = options.diskSize
      ? onSmallDisk(join(directory, "storage"), options.diskSize, serve)
      : serve;
    child = spawn(program, args, {
      // Not the run's own output, which a run that ends waits for as long as anybody holds it.
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    child.stdout?.pipe(process.stdout, { end: false });
    child.stderr?.pipe(process.stderr, { end: false });
    url = `http://127.0.0.1:${await listeningPort(child)}`;
  };

  await start();
  return {
    get storage() {
      return `/proc/${child?.pid}/root${join(directory, "storage")}`;
    },
    get url() {
      return url;
    },
    get pid() {
      if (child?.pid === undefined) throw new Error("workerd does not run");
      return child.pid;
    },
    kill,
    start,
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(directory, { recursive: true });
    },
  };
}

const MAIN = "main.js";

/** Bundles by entry: a test file may start several workers of one. */
const bundles = new Map<string, ReturnType<typeof bundleWorker>>();

/** Resolves to the names of its modules, the main one first. */
async function bundle({ entry, objects }: WorkerOptions, directory: string): Promise<string[]> {
  const bundling = bundles.get(entry) ?? bundleWorker(resolve(entry));
  bundles.set(entry, bundling);
  const files = await bundling;
  // An entry that another chunk imports exports more than workerd lets a main module export.
  const from = files.find((file) => file.type === "chunk" && file.isEntry)?.fileName;
  const names = ["default", ...Object.values(objects)].join(", ");
  await writeFile(join(directory, MAIN), `export { ${names} } from "${from}";`);
  for (const file of files) {
    await writeFile(
      join(directory, file.fileName),
      file.type === "chunk" ? file.code : file.source,
    );
  }
  return [MAIN, ...files.map(({ fileName }) => fileName)];
}

function configuration(
  { objects, reachesLoopback, outbound }: WorkerOptions,
  {
    directory,
    modules,
    variables,
  }: { directory: string; modules: readonly string[]; variables: Record<string, string> },
): string {
  const text = (value: string): string => JSON.stringify(value);
  const bindings = [
    ...Object.entries(objects).map(
      ([name, className]) => `(name = ${text(name)}, durableObjectNamespace = ${text(className)})`,
    ),
    ...Object.entries(variables).map(
      ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
    ),
  ];
  const embedded = modules.map((name) => {
    const kind = name.endsWith(".wasm") ? "wasm" : "esModule";
    return `(name = ${text(name)}, ${kind} = embed ${text(name)})`;
  });
  const namespaces = Object.values(objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  );
  const internet = outbound
    ? `external = (address = ${text(outbound)}, http = ())`
    : `network = (allow = ["local"])`;
  const outside = reachesLoopback || outbound ? `(name = "internet", ${internet}),` : "";
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    ${outside}
    (name = "disk", disk = (path = ${text(join(directory, "storage"))}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${embedded.join(", ")}],
  ${COMPATIBILITY},
  bindings = [${bindings.join(", ")}],
  durableObjectNamespaces = [${namespaces.join(", ")}],
  durableObjectStorage = (localDisk = "disk"),
);
`;
}

/** Reads the port from workerd's message on its control pipe. */
async function listeningPort(child: ChildProcess): Promise<number> {
  const control = child.stdio[3] as Readable;
  let output = "";
  for await (const chunk of control) {
    output += String(chunk);
    const port = /"event":"listen","socket":"http","port":(\d+)/.exec(output)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`workerd ended before it listened (${output})`);
}
