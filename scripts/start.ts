// `npm start`: the playground, built as for publication and served on loopback, with the worker beside it. Ctrl+C ends
// both.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const playground = join(root, "apps/playground");
const worker = join(root, "apps/edge-worker");
const children: ChildProcess[] = [];
let isStopping = false;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
const playgroundPort = await freePort(4173);
const workerPort = await freePort(8787);
const token = process.env.API_TOKEN ?? randomBytes(16).toString("hex");

console.error("› Building the playground");
await finished(start(playground, ["vite", "build", "--logLevel", "warn"]));
if (isStopping) process.exit(1);
const page = start(playground, [
  "vite",
  "preview",
  "--host",
  "127.0.0.1",
  "--port",
  `${playgroundPort}`,
  "--strictPort",
]);
const edge = start(
  worker,
  [
    "wrangler",
    "dev",
    "--ip",
    "127.0.0.1",
    "--port",
    `${workerPort}`,
    "--var",
    `API_TOKEN:${token}`,
    "--show-interactive-dev-session=false",
  ],
  // No usage data leaves the machine.
  { WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false", CI: "1" },
);

const pageUrl = `http://127.0.0.1:${playgroundPort}/`;
const workerUrl = `http://127.0.0.1:${workerPort}`;
if (await reachable(pageUrl))
  console.log(`\n  Playground  ${pageUrl}   (the session runs in the tab; no key needed)`);
if (await reachable(`${workerUrl}/healthz`)) {
  console.log(`  Worker      ${workerUrl}`);
  console.log(`              export URL=${workerUrl} TOKEN=${token}\n`);
}

await Promise.race([finished(page), finished(edge)]);
stop();

function start(
  cwd: string,
  [command = "", ...args]: string[],
  env: Record<string, string> = {},
): ChildProcess {
  const bins = [
    join(cwd, "node_modules/.bin"),
    join(root, "node_modules/.bin"),
    process.env.PATH ?? "",
  ];
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: bins.join(":"), ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  return child;
}

function stop(): void {
  isStopping = true;
  for (const child of children) if (child.exitCode === null) child.kill("SIGTERM");
}

function finished(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0 || signal !== null) resolve();
      else reject(new Error(`${child.spawnfile} ended with ${code}`));
    });
  });
}

/** Reports whether the address answers within a minute, unless this program is stopped before. */
async function reachable(url: string): Promise<boolean> {
  const deadline = performance.now() + 60_000;
  while (!isStopping && performance.now() < deadline) {
    try {
      const response = await fetch(url);
      await response.body?.cancel();
      return true;
    } catch {
      // Not listening yet.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  if (!isStopping) console.error(`${url} does not answer`);
  return false;
}

/** The `preferred` port, or any other when it is taken. */
function freePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", () =>
      preferred === 0 ? reject(new Error("No port is free")) : resolve(freePort(0)),
    );
    server.listen(preferred, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : preferred;
      server.close(() => resolve(port));
    });
  });
}
