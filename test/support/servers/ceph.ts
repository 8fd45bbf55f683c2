import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { type RunningServer, runServer } from "./run-server.ts";

/** An S3-compatible store with an empty bucket. */
export interface RunningBucket extends AsyncDisposable {
  bucketUrl: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** Ends the gateway at once, as a crash would, and starts it again. */
  restart(): Promise<void>;
}

const USER = "ceph";
const KEYS = { accessKeyId: "robota", secretAccessKey: "robota-secret" };

/** A Ceph cluster on loopback: a monitor, one store of objects in memory, and the gateway that speaks S3. */
export async function runCeph(): Promise<RunningBucket> {
  await using parts = new AsyncDisposableStack();
  const { conf, ...monitor } = await runMonitor();
  parts.use(monitor);
  parts.use(await runStore(conf));
  const gateway = parts.use(await runGateway(conf));
  const bucketUrl = `${gateway.url}/files`;
  const made = await new AwsClient({ ...KEYS, service: "s3" }).fetch(bucketUrl, { method: "PUT" });
  if (!made.ok) throw new Error(`The bucket could not be made: ${await made.text()}`);
  const running = parts.move();
  return {
    bucketUrl,
    credentials: KEYS,
    restart: () => gateway.restart(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function runMonitor(): Promise<RunningServer & { conf: string }> {
  const cluster = randomUUID();
  let conf = "";
  const monitor = await runServer({
    user: USER,
    prepare: (directory, run, port) => {
      conf = join(directory, "ceph.conf");
      writeFileSync(conf, configuration(directory, cluster, port));
      run(["mkdir", "mon", "osd", "gateway"]);
      const ring = ["ceph-authtool", "keyring", "--gen-key"];
      const may = ["mon", "osd", "mgr"].flatMap((part) => ["--cap", part, "allow *"]);
      run([...ring, "--create-keyring", "-n", "mon.", ...may]);
      run([...ring, "-n", "client.admin", ...may]);
      const address = `[v2:127.0.0.1:${port}]`;
      run(["monmaptool", "--create", "--addv", "a", address, "--fsid", cluster, "map"]);
      const files = ["--monmap", "map", "--keyring", "keyring"];
      run(["ceph-mon", "-c", conf, "--mkfs", "-i", "a", ...files]);
    },
    command: () => ["ceph-mon", "-c", conf, "-i", "a", "-f"],
    url: (port) => `127.0.0.1:${port}`,
    isReady: async () => isDone("ceph", "-c", conf, "--connect-timeout", "5", "mon", "stat"),
  });
  return { ...monitor, conf };
}

async function runStore(conf: string): Promise<RunningServer> {
  const id = randomUUID();
  const keyring = join(conf, "../keyring");
  return runServer({
    user: USER,
    prepare: (directory, run) => {
      const key = spawnSync("ceph-authtool", ["--gen-print-key"], { encoding: "utf8" }).stdout;
      writeFileSync(join(directory, "osd.json"), JSON.stringify({ cephx_secret: key.trim() }));
      run(["ceph", "-c", conf, "osd", "new", id, "-i", "osd.json"]);
      run(["ceph-authtool", keyring, "-n", "osd.0", "--add-key", key.trim()]);
      run(["ceph-osd", "-c", conf, "-i", "0", "--mkfs", "--osd-uuid", id]);
    },
    command: () => ["ceph-osd", "-c", conf, "-i", "0", "-f"],
    url: () => "",
    // What comes next waits for it.
    isReady: async () => true,
  });
}

function runGateway(conf: string): Promise<RunningServer> {
  return runServer({
    user: USER,
    prepare: (_, run) => {
      const keys = ["--access-key", KEYS.accessKeyId, "--secret-key", KEYS.secretAccessKey];
      const name = ["--uid", "robota", "--display-name", "robota"];
      run(["radosgw-admin", "-c", conf, "user", "create", ...name, ...keys]);
    },
    command: (_, port) => {
      const frontend = `beast endpoint=127.0.0.1:${port} tcp_nodelay=1`;
      return ["radosgw", "-c", conf, "-n", "client.admin", "-f", "--rgw-frontends", frontend];
    },
    url: (port) => `http://127.0.0.1:${port}`,
    isReady: (url) =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
}

function isDone(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** One copy of everything, no waiting for others to agree, and all files in `directory`. */
function configuration(directory: string, cluster: string, port: number): string {
  const settings = {
    fsid: cluster,
    "mon host": `v2:127.0.0.1:${port}`,
    "mon initial members": "a",
    "public addr": "127.0.0.1",
    "cluster addr": "127.0.0.1",
    "auth cluster required": "cephx",
    "auth service required": "cephx",
    "auth client required": "cephx",
    keyring: join(directory, "keyring"),
    "run dir": directory,
    "admin socket": "",
    "log file": "",
    "mon cluster log file": "",
    "mon data": join(directory, "mon"),
    "osd data": join(directory, "osd"),
    "rgw data": join(directory, "gateway"),
    "paxos propose interval": 0.05,
    "osd objectstore": "memstore",
    "memstore device bytes": 2 ** 30,
    "osd crush chooseleaf type": 0,
    "osd pool default size": 1,
    "osd pool default min size": 1,
    "osd pool default pg num": 1,
    "osd pool default pgp num": 1,
    "osd pool default pg autoscale mode": "off",
    "mon allow pool size one": true,
    "rgw rados pool pg num min": 1,
    "rgw run sync thread": false,
    "rgw enable gc threads": false,
    "rgw enable lc threads": false,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
  return `[global]\n${lines.join("")}`;
}
