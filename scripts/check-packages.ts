// Whether the packages are fit to publish: publint on each, and types that resolve for every entry as an importer sees them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "./bundle-entry.ts";
import { packages } from "./entries.ts";

for (const name of packages) {
  const pkgDir = join(root, "packages", name);
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: "npm" });
  for (const message of messages) {
    process.exitCode = 1;
    console.error(`${name}: ${formatMessage(message, pkg)}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "robota-pack-"));
  try {
    run("npm", ["pack", "--silent", "--pack-destination", folder], pkgDir);
    const [tarball = ""] = readdirSync(folder);
    // A worker or a page imports ES modules; nobody is promised CommonJS.
    run("attw", ["--profile", "esm-only", "--format", "ascii", join(folder, tarball)], root);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, args: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  process.exitCode = 1;
  console.error(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
}
