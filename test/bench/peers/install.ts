// The peers live in a folder of the system's temporary directory: nobody who works on this project has to install them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The packages of each peer, with their versions. */
export const PEERS = {
  pi: { "@earendil-works/pi-agent-core": "0.87.1", "@earendil-works/pi-ai": "0.87.1" },
  "ai-sdk": { ai: "7.0.173", "@ai-sdk/anthropic": "4.0.105", "@ai-sdk/openai": "4.0.118" },
} as const;

export type PeerName = keyof typeof PEERS;

export const PEER_NAMES = Object.keys(PEERS) as PeerName[];
const INSTALL_TIMEOUT_MS = 180_000;

function folderOf(peer: PeerName): string {
  return join(tmpdir(), "robota-bench-peers", peer);
}

/** Brings a peer; says why not when it can't be had. */
export function installPeer(peer: PeerName): string | undefined {
  const folder = folderOf(peer);
  const manifest = JSON.stringify({ private: true, type: "module", dependencies: PEERS[peer] });
  const file = join(folder, "package.json");
  const done = join(folder, "installed.json");
  if (existsSync(done) && readFileSync(done, "utf8") === manifest) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, manifest);
  const { status, stderr, error } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (status !== 0) return error?.message ?? (stderr.split("\n")[0] || `npm ended with ${status}`);
  writeFileSync(done, manifest);
  return undefined;
}

export function versionsOf(peer: PeerName): string {
  return Object.entries(PEERS[peer])
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

/** Imports as a module inside of the peer's folder would. Needs `--experimental-import-meta-resolve`. */
export async function importPeer<Module>(peer: PeerName, name: string): Promise<Module> {
  const from = pathToFileURL(join(folderOf(peer), "bench.js"));
  return import(import.meta.resolve(name, from)) as Promise<Module>;
}
