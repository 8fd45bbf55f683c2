// The tests that `npm run mutation` runs for a file: those of its room, in one project without a browser or a worker.
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "..");
const below = "packages/runtime/src";
const source = join(root, below);

export default defineConfig({
  root,
  resolve: {
    conditions: ["@robota/source", "module", "node", "development|production"],
    alias: [
      { find: "#host", replacement: join(root, "test/hosts/node.ts") },
      // Not the workspace's links, which lead to code that is not changed.
      { find: /^@robota\/runtime$/, replacement: join(source, "index.ts") },
      { find: /^@robota\/runtime\/(testing|virtual)$/, replacement: `${source}/$1/index.ts` },
      {
        find: /^@robota\/adapters-node$/,
        replacement: join(root, "packages/adapters-node/src/index.ts"),
      },
    ],
  },
  test: {
    include: testsOf(process.env.MUTATED_FILE ?? ""),
  },
});

function testsOf(file: string): string[] {
  if (!file.startsWith("permissions/"))
    return [
      file.startsWith("egress/")
        ? `${below}/egress/*.test.ts`
        : `${below}/${file.replace(/\.ts$/, ".test.ts")}`,
    ];
  const isOfPaths = !/\/(?:shell-|looking|destructive|file-names)/.test(file);
  return [
    // Without the lines of a hundred thousand words: each change would read them again.
    `${below}/permissions/!(shell-limits).test.ts`,
    `${below}/session/gate.test.ts`,
    "test/shared/permission-{names,shell,threats}.test.ts",
    ...(isOfPaths ? ["test/shared/permission-paths.test.ts"] : []),
  ];
}
