// Loaded before anything else (`--import`): writes down what the process executes, connects to and opens for reading.
import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import workers from "node:worker_threads";

export interface Observed {
  executed: string[];
  connected: string[];
  opened: string[];
}

const seen: Observed = { executed: [], connected: [], opened: [] };
Object.assign(globalThis, { observed: seen });

type Functions = Record<string, (...args: unknown[]) => unknown>;

/** Writes down the first argument of each call of these functions. */
function watch(owner: object, names: readonly string[], note: (first: unknown) => void): void {
  const functions = owner as Functions;
  for (const name of names) {
    const original = functions[name];
    if (!original) throw new Error(`There is no ${name} to watch`);
    functions[name] = function watched(this: unknown, ...args) {
      note(args[0]);
      return Reflect.apply(original, this, args);
    };
  }
}

const text = (value: unknown): string =>
  typeof value === "string" || value instanceof URL || Buffer.isBuffer(value)
    ? String(value)
    : JSON.stringify(value);

watch(
  childProcess,
  ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"],
  (program) => seen.executed.push(text(program)),
);
watch(net.Socket.prototype, ["connect"], (to) => seen.connected.push(text(to)));
watch(dns, ["lookup", "resolve", "resolve4", "resolve6"], (host) =>
  seen.connected.push(text(host)),
);
watch(dns.promises, ["lookup", "resolve"], (host) => seen.connected.push(text(host)));
watch(dgram.Socket.prototype, ["connect", "send"], () => seen.connected.push("a datagram"));
watch(globalThis, ["fetch"], (request) => seen.connected.push(text(request)));
const { readlinkSync } = fs;
/** A path below an open directory, as `/proc` names it, by where that directory is. */
function placeOf(path: unknown): string {
  const [, directory, rest = ""] = /^(\/proc\/self\/fd\/\d+)(\/.*)$/s.exec(text(path)) ?? [];
  return directory === undefined ? text(path) : readlinkSync(directory) + rest;
}

watch(fs, ["open", "openSync", "readFile", "readFileSync", "createReadStream"], (path) => {
  if (typeof path !== "number") seen.opened.push(placeOf(path));
});
watch(fs.promises, ["open", "readFile"], (path) => {
  if (typeof path === "string" || path instanceof URL) seen.opened.push(placeOf(path));
});
const { Worker } = workers;
workers.Worker = class extends Worker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    seen.executed.push(`the thread ${text(args[0])}`);
    super(...args);
  }
};
syncBuiltinESMExports();
