// The cost of each entry for a page or a worker, compared with its limit. Prints the table and fails over a limit.
import { gzipSync } from "node:zlib";
import type { BundleTarget } from "../packaging/bundle-entry.ts";
import { bundleWorker } from "../packaging/bundle-worker.ts";
import { entriesOf } from "../packaging/entries.ts";
import { loadSizes, singleFileSize } from "../packaging/first-load.ts";

interface Row {
  name: string;
  code: string;
  targets: BundleTarget[];
  /** Kilobytes (1000 bytes) of the first load, minified and gzipped. */
  limit?: number;
  /** Packages that do not count: a page has them anyway. */
  external?: string[];
}

/** Providers come without their SDK, which the first call loads. */
const LIMITS: Readonly<Record<string, number>> = {
  "@robota/runtime/providers/anthropic": 15.5,
  "@robota/runtime/providers/openai": 16.5,
  "@robota/runtime/providers/environment": 3,
  "@robota/runtime/providers/offline": 13,
  "@robota/runtime/providers/replay": 2,
};

/** Kilobytes of what a page loads with the first command of its shell, without a program. */
const FIRST_USE_LIMIT = 85.8;
/** Kilobytes of a single file with all programs that are part of the shell. */
const COMMANDS_LIMIT = 243.6;

/** KiB of all that `wrangler` uploads, gzipped as it counts them. */
const UPLOAD_LIMIT = 1_166;

const both: BundleTarget[] = ["browser", "workerd"];
const rows: Row[] = [
  {
    name: "Robota (loop only)",
    code: 'export { Robota } from "@robota/runtime";',
    targets: both,
    limit: 15,
  },
  { name: "Session", code: 'export { Session } from "@robota/runtime";', targets: both, limit: 46 },
  {
    name: "InteractiveSession",
    code: 'export { InteractiveSession } from "@robota/runtime";',
    targets: both,
    limit: 57,
  },
  ...entriesOf("runtime").map((entry) => ({
    name: entry,
    code: `export * from "${entry}";`,
    targets: both,
    limit: LIMITS[entry],
  })),
  ...entriesOf("shell").map((entry) => ({
    name: entry,
    code: `export * from "${entry}";`,
    targets: both,
  })),
  ...entriesOf("react").map((entry) => ({
    name: entry,
    code: `export * from "${entry}";`,
    targets: ["browser" as const],
    external: ["react", "@robota/runtime"],
    limit: 6,
  })),
  ...entriesOf("adapters-web").map((entry) => ({
    name: entry,
    code: `export * from "${entry}";`,
    targets: ["browser" as const],
  })),
  ...entriesOf("adapters-edge").map((entry) => ({
    name: entry,
    code: `export * from "${entry}";`,
    targets: ["workerd" as const],
  })),
];

console.log("entry | target | first load, kB gz | with what loads later, kB gz | limit");
for (const { name, code, targets, limit, external } of rows) {
  for (const target of targets) {
    const { firstLoad, whole } = await loadSizes({ code, target, external });
    const isOver = limit !== undefined && firstLoad > limit * 1000;
    if (isOver) process.exitCode = 1;
    const cells = [name, target, kilobytes(firstLoad), kilobytes(whole), limit ?? "-"];
    console.log(cells.join(" | ") + (isOver ? "  OVER" : ""));
  }
}

console.log("shell | kB gz | limit");
const shellCode = { code: 'export * from "@robota/shell";', target: "browser" } as const;
const { firstLoad: firstUse } = await loadSizes({
  ...shellCode,
  used: /[\\/]shell[\\/]src[\\/](?:engine[\\/]engine|execution)\.ts$/,
});
const allCommands = await singleFileSize({
  ...shellCode,
  leftOut: /[\\/]shell[\\/](?:src[\\/](?:git|commands[\\/]js)|vendor)[\\/]|quickjs-emscripten/,
});
const shell = {
  "first use": { size: firstUse, limit: FIRST_USE_LIMIT },
  "all commands but git and js, in one file": { size: allCommands, limit: COMMANDS_LIMIT },
};
for (const [name, { size, limit }] of Object.entries(shell)) {
  const isOver = size > limit * 1000;
  if (isOver) process.exitCode = 1;
  console.log(`${name} | ${kilobytes(size)} | ${limit}${isOver ? "  OVER" : ""}`);
}

console.log("upload | KiB gz | limit");
const upload = await bundleWorker();
const uploaded = upload.reduce(
  (sum, file) => sum + gzipSync(file.type === "chunk" ? file.code : file.source).length,
  0,
);
const isUploadOver = uploaded > UPLOAD_LIMIT * 1024;
if (isUploadOver) process.exitCode = 1;
console.log(
  `apps/edge-worker | ${(uploaded / 1024).toFixed(0)} | ${UPLOAD_LIMIT}${isUploadOver ? "  OVER" : ""}`,
);

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
