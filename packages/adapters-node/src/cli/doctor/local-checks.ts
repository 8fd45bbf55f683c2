import { createRequire } from "node:module";
import type { Platform } from "@robota/runtime";
import { environmentProviders } from "@robota/runtime/providers/environment";
import { readSettings } from "@robota/runtime/settings";
import { tooOld } from "../start/node-version.ts";

/** One thing that was looked at. `missing` is no failure: nothing needs it. */
export interface Check {
  name: string;
  state: "ok" | "missing" | "failed";
  detail: string;
  /** The remedy, for a person. */
  fix?: string | undefined;
}

/** Where processes can be replaced, so that keys are not in what other programs read of this one. */
const REPLACING_NODE = "22.15";

/** Checks this machine, without any network. */
export async function localChecks(cwd: string, platform: Platform): Promise<Check[]> {
  return [
    nodeCheck(),
    await storageCheck(platform),
    await directoryCheck(cwd, platform),
    await settingsCheck(cwd, platform),
    await commandCheck("shell", "bash --version", cwd, platform, "Install bash."),
    await commandCheck(
      "git",
      "git --version",
      cwd,
      platform,
      "Install git, for diffs and history.",
    ),
    ...environmentProviders
      .filter(({ keys }) => keys.length > 0)
      .map(({ name, keys }) => keyCheck(name, keys, platform)),
    ...storageDrivers(),
  ];
}

function nodeCheck(): Check {
  const { node } = process.versions;
  const problem = tooOld("command") ?? tooOld("conversation");
  if (problem !== undefined)
    return { name: "node", state: "failed", detail: node, fix: `${problem}.` };
  if (process.execve || process.platform === "win32")
    return { name: "node", state: "ok", detail: node };
  const fix = `With Node ${REPLACING_NODE} or newer, programs that commands start can't read keys from this process.`;
  return { name: "node", state: "ok", detail: node, fix };
}

async function storageCheck({ storage, home }: Platform): Promise<Check> {
  const key = `doctor/${crypto.randomUUID()}`;
  const detail = `sessions in ${home ?? ""}/.robota`;
  try {
    await storage.set(key, new TextEncoder().encode("ok"));
    await storage.delete(key);
    return { name: "storage", state: "ok", detail };
  } catch (error) {
    const fix = `It can't be written: ${messageOf(error)}`;
    return { name: "storage", state: "failed", detail, fix };
  }
}

async function directoryCheck(cwd: string, { fs }: Platform): Promise<Check> {
  const stat = await fs.stat(cwd).catch(() => undefined);
  if (stat?.type === "directory") return { name: "directory", state: "ok", detail: cwd };
  return { name: "directory", state: "failed", detail: cwd, fix: "It is not a directory." };
}

async function settingsCheck(cwd: string, platform: Platform): Promise<Check> {
  try {
    const { trust, warnings } = await readSettings(platform, { cwd });
    const [first] = warnings;
    if (!first) return { name: "settings", state: "ok", detail: `workspace ${trust}` };
    const detail = `${warnings.length} remarks`;
    const fix = `${first.layer}: ${first.setting} ${first.message}`;
    return { name: "settings", state: "failed", detail, fix };
  } catch (error) {
    return { name: "settings", state: "failed", detail: "can't be used", fix: messageOf(error) };
  }
}

async function commandCheck(
  name: string,
  command: string,
  cwd: string,
  { shell }: Platform,
  fix: string,
): Promise<Check> {
  try {
    const { exitCode, stdout } = await shell.exec(command, { cwd, timeoutMs: 5000 });
    const [detail = ""] = stdout.split("\n", 1);
    if (exitCode === 0) return { name, state: "ok", detail };
  } catch {
    // As if it were not there.
  }
  return { name, state: "failed", detail: "does not run", fix };
}

/** Says that there is a key, and nothing of it. */
function keyCheck(name: string, keys: readonly string[], platform: Platform): Check {
  const found = keys.find((key) => (platform.env(key)?.trim() ?? "") !== "");
  if (found !== undefined) return { name: `key ${name}`, state: "ok", detail: `${found} is set` };
  return { name: `key ${name}`, state: "missing", detail: `${keys.join(" or ")} is not set` };
}

/** The packages that `serve --storage` loads. */
function storageDrivers(): Check[] {
  return [
    driverCheck("storage postgres", "@robota/storage-postgres", "pg"),
    driverCheck("storage redis", "@robota/storage-redis", "redis"),
  ];
}

function driverCheck(name: string, storage: string, driver: string): Check {
  try {
    // The driver is found from where the storage is.
    createRequire(import.meta.resolve(storage)).resolve(driver);
    return { name, state: "ok", detail: `${storage} and ${driver} are installed` };
  } catch {
    const fix = `For serve --storage: npm install --global ${storage} ${driver}`;
    return { name, state: "missing", detail: "not installed", fix };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
