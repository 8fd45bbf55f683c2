import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const PACKAGE = join(import.meta.dirname, "../../../packages/adapters-node");

/**
 * Builds `robota` as it is installed, with its package.json two directories above. Returns the directory, and the
 * script in it.
 */
export async function installCommand(): Promise<{ directory: string; script: string }> {
  const directory = await mkdtemp(join(tmpdir(), "robota-installed-"));
  await copyFile(join(PACKAGE, "package.json"), join(directory, "package.json"));
  await build({
    entryPoints: [
      { in: join(PACKAGE, "src/cli/main.ts"), out: "main" },
      // The program starts it beside its own code: the shell of sessions with files of their own.
      { in: join(PACKAGE, "src/virtual-shell/shell-process.ts"), out: "shell-process" },
    ],
    outdir: join(directory, "dist/cli"),
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    // The oldest one that the package runs on.
    target: "node22",
    conditions: ["@robota/source"],
    external: ["@robota/storage-postgres", "@robota/storage-redis"],
    // Parts of the bundle are CommonJS.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
  });
  return { directory, script: join(directory, "dist/cli/main.js") };
}
