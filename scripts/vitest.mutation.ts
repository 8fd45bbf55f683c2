// The tests that `npm run mutation` runs: those of the code that guards, in one project without a browser or a worker.
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "..");
const source = join(root, "packages/runtime/src");

export default defineConfig({
  root,
  resolve: {
    conditions: ["@robota/source", "module", "node", "development|production"],
    alias: [
      { find: "#host", replacement: join(root, "test/hosts/node.ts") },
      // Not the workspace's links, which lead to code that is not changed.
      { find: /^@robota\/runtime$/, replacement: join(source, "index.ts") },
      { find: /^@robota\/runtime\/(testing|virtual)$/, replacement: `${source}/$1/index.ts` },
    ],
  },
  test: {
    include: [
      "packages/runtime/src/{permissions,egress}/**/*.test.ts",
      "packages/runtime/src/messages/redact.test.ts",
      "packages/runtime/src/ports/path.test.ts",
      "packages/runtime/src/session/gate.test.ts",
      // Without `permission-shell`, whose thousands of lines would be read again for each change.
      "test/shared/permission-{names,paths,threats}.test.ts",
    ],
  },
});
