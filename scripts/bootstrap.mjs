// Runs on the machine's own Node (20 or newer), before anything is installed: installs pnpm, the dependencies and the
// project's own Node, then hands over to it. Finished steps are skipped.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "node_modules", ".bin");
// Not `packageManager` of package.json: pnpm would then look for itself in the registry and in the lockfile.
const { pnpm } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).config;
const tasks = {
  start: "scripts/start.ts",
  test: "scripts/test.ts",
  soak: "scripts/soak.ts",
  lines: "scripts/permission-lines.ts",
  bench: "test/bench/peers/run.ts",
  mutation: "scripts/mutation/run.ts",
  gallery: "test/gallery/run.ts",
  docs: "scripts/site/build-site.ts",
  publish: "scripts/publish.ts",
};

const [task = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(tasks, task)) {
  console.error(`Usage: node scripts/bootstrap.mjs ${Object.keys(tasks).join("|")}`);
  process.exit(2);
}
install();
if (task === "test" || task === "soak") installPrograms();
if (task === "test" || task === "soak" || task === "gallery") await findChromium();
handOver(join(bin, "node"), ["--conditions=@robota/source", join(root, tasks[task]), ...args]);

function install() {
  const stamp = join(root, "node_modules", ".robota-stamp");
  const wanted = fingerprint();
  const isMade = existsSync(join(root, "packages/shell/vendor"));
  if (isMade && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  say(`Installing the dependencies with ${pnpm} (only when they change)`);
  run("npx", ["--yes", pnpm, "install", "--frozen-lockfile"]);
  say("Building the parts of the shell's git and node");
  run(join(bin, "node"), [join(root, "scripts/vendor.ts")]);
  writeFileSync(stamp, wanted);
}

/** Changes with the dependencies and everything built from them. */
function fingerprint() {
  const hash = createHash("sha256");
  const inputs = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "scripts/vendor.ts"];
  const vendor = join(root, "scripts", "vendor");
  if (existsSync(vendor))
    inputs.push(...readdirSync(vendor).map((name) => `scripts/vendor/${name}`));
  for (const name of inputs) hash.update(readFileSync(join(root, name)));
  return hash.digest("hex");
}

/**
 * Storages are tested on real servers, and the playground also in Firefox and WebKit: those on the PATH, else Debian's packages,
 * without starting their services.
 */
function installPrograms() {
  const missing = [
    existsSync("/usr/lib/postgresql") || isOnPath("postgres") ? [] : ["postgresql"],
    isOnPath("redis-server") ? [] : ["redis-server"],
    isOnPath("radosgw") ? [] : ["radosgw", "ceph-mon", "ceph-osd"],
    process.env.ROBOTA_FIREFOX || existsSync("/usr/bin/firefox-esr") ? [] : ["firefox-esr"],
    existsSync("/usr/bin/WebKitWebDriver") ? [] : ["webkit2gtk-driver"],
    existsSync("/usr/bin/Xvfb") ? [] : ["xvfb"],
  ].flat();
  if (missing.length === 0) return;
  if (!existsSync("/usr/bin/apt-get") || process.getuid?.() !== 0) {
    say(`Tests that need them will fail: install ${missing.join(" and ")}`);
    return;
  }
  say(`Installing ${missing.join(" and ")} from the system's packages`);
  installPackages(missing, { RUNLEVEL: "1" });
}

function isOnPath(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

function installPackages(names, env) {
  spawnSync("apt-get", ["update"], { stdio: "ignore" });
  spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...names], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", ...env },
  });
}

/**
 * Tests run in a real browser: Debian's headless shell of Chromium, which is the same engine at half the CPU time, else the
 * machine's Chromium, else Playwright's download.
 */
async function findChromium() {
  if (process.env.ROBOTA_CHROMIUM) return;
  const shell = "/usr/bin/chromium-headless-shell";
  const candidates = [shell, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  const found = () =>
    [...candidates, "/usr/bin/google-chrome"].find((candidate) => existsSync(candidate));
  const canInstall = existsSync("/usr/bin/apt-get") && process.getuid?.() === 0;
  if (!existsSync(shell) && canInstall) {
    say("Installing Chromium's headless shell from the system's packages");
    installPackages(["chromium-headless-shell"]);
    // Older systems have it only as a part of the browser.
    if (!found()) installPackages(["chromium"]);
  }
  let path = found();
  if (!path) {
    say("Downloading Chromium with Playwright");
    const download = spawnSync(join(bin, "playwright"), ["install", "chromium"], {
      cwd: root,
      stdio: "inherit",
    });
    if (download.status === 0) {
      const { chromium } = await import("playwright");
      path = chromium.executablePath();
    }
  }
  if (!path) {
    console.error(
      "No Chromium could be found, installed or downloaded. Install one and name it: ROBOTA_CHROMIUM=/path/to/chromium npm test",
    );
    process.exit(1);
  }
  process.env.ROBOTA_CHROMIUM = path;
}

function say(text) {
  console.error(`› ${text}`);
}

function options() {
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  return { cwd: root, stdio: "inherit", env };
}

/** Ends with the program, and the program with it: npm signals only its own child. */
function handOver(command, args) {
  const program = spawn(command, args, options());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => program.kill(signal));
  }
  program.on("exit", (status) => process.exit(status ?? 1));
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, options());
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
