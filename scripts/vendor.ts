/**
 * Builds `packages/shell/vendor`: the parts of isomorphic-git, QuickJS and sucrase that the shell uses, each in files that
 * no bundler for browsers or workers has to change. Run it with `node scripts/vendor.ts`; it rewrites everything or fails.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const target = join(import.meta.dirname, "../packages/shell/vendor");

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
await import("./vendor/git.ts");
await import("./vendor/quickjs.ts");
await import("./vendor/sucrase.ts");
