// Publishes all packages: `node scripts/bootstrap.mjs publish v0.2.0 [--dry-run]`. They have one version, set by
// `node scripts/packaging/set-version.ts 0.2.0`; the changelog has to name it. Run by .github/workflows/release.yml.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packages, programs } from "./packaging/entries.ts";
import { pack } from "./packaging/pack.ts";
import { manifestsOf, requireReleasable } from "./packaging/release.ts";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean", default: false } },
});
const version = (positionals[0] ?? "").replace(/^v/, "");
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
requireReleasable(version, manifestsOf(root), changelog);

const folder = mkdtempSync(join(tmpdir(), "robota-publish-"));
try {
  // All are packed before the first is published: a failure leaves nothing half published.
  const tarballs = [...packages, ...programs].map((name) => {
    const destination = join(folder, name);
    mkdirSync(destination);
    return pack(name, destination);
  });
  for (const tarball of tarballs) {
    const args = ["publish", tarball, "--access", "public", "--provenance"];
    const { status } = spawnSync("npm", values["dry-run"] ? [...args, "--dry-run"] : args, {
      stdio: "inherit",
    });
    if (status !== 0) process.exit(status ?? 1);
  }
} finally {
  rmSync(folder, { recursive: true });
}
