import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { s3FileSystem } from "@robota/files-s3";
import { InteractiveSession, Session } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");

const imports = [
  'import { nodePlatform } from "@robota/adapters-node";',
  'import { InteractiveSession } from "@robota/runtime";',
  'import { OfflineProvider } from "@robota/runtime/providers/offline";',
  "const provider = new OfflineProvider();",
].join("\n");
const made = `new InteractiveSession({ platform: nodePlatform(), cwd: "/work", provider`;
const programs = {
  bare: `new InteractiveSession({ cwd: "/work", provider });`,
  right: `${made} });`,
  misspelt: `${made}, permisionMode: "plan" });`,
};

/** The compiler's errors about each program. */
function compileErrors(): Record<keyof typeof programs, string> {
  const directory = mkdtempSync(join(root, "test/node/session/.sample-"));
  const errors = { bare: "", right: "", misspelt: "" };
  try {
    for (const [name, program] of Object.entries(programs))
      writeFileSync(join(directory, `${name}.ts`), `${imports}\n${program}`);
    const options = {
      target: "esnext",
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      customConditions: ["@robota/source"],
      allowImportingTsExtensions: true,
      types: ["node"],
    };
    const files = Object.keys(programs).map((name) => `${name}.ts`);
    writeFileSync(
      join(directory, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" });
    for (const error of stdout.split(/\n(?=\S)/)) {
      const [, name] = /(bare|right|misspelt)\.ts/.exec(error) ?? [];
      if (name !== undefined) errors[name as keyof typeof programs] += error;
    }
    return errors;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

it("are checked by the compiler, which names what is missing or misspelt", () => {
  const { bare, right, misspelt } = compileErrors();
  expect(bare).toContain("a session needs { platform, provider }");
  expect(bare).toContain("nodePlatform() of @robota/adapters-node");
  expect(right).toBe("");
  expect(misspelt).toContain("permisionMode");
  expect(misspelt).not.toContain("a session needs");
});

it("reports the same at run time", async () => {
  // As JavaScript calls it.
  const create = (options: object): InteractiveSession => new InteractiveSession(options as never);
  expect(() => create({ cwd: "/work", provider: new OfflineProvider() })).toThrow(
    expect.objectContaining({
      message: "A session needs a platform",
      hint: expect.stringContaining("nodePlatform()") as string,
    }),
  );
  const storageDirectory = mkdtempSync(join(tmpdir(), "robota-options-"));
  try {
    const platform = nodePlatform({ storageDirectory });
    await using session = create({ platform, provider: new OfflineProvider() });
    await session.ready;
    expect(session.getPermissionMode()).toBe("default");
  } finally {
    rmSync(storageDirectory, { recursive: true, force: true });
  }
});

it("accepts a prepared session instead", async () => {
  const session = new Session({ platform: memoryPlatform(), provider: new OfflineProvider() });
  await using interactive = new InteractiveSession({ session });
  await interactive.ready;
  expect(interactive.sessionId).toBe(session.sessionId);
});

it("refuses misspelt options of the platform, so that none is missing in silence", () => {
  const create = (options: object) => nodePlatform(options);
  expect(() => create({ rooot: "/srv/work" })).toThrow(
    expect.objectContaining({
      message: "Unknown option rooot",
      hint: "Did you mean root?",
    }),
  );
  expect(() => create({ allowEnv: "CI" })).toThrow("The value of allowEnv is of type string");
});

it("refuses misspelt options of files in a bucket", () => {
  const create = (options?: object): unknown => Reflect.apply(s3FileSystem, undefined, [options]);
  expect(() => create()).toThrow("The value of options is of type undefined");
  expect(() => create({ bucketURL: "https://bucket.example.com" })).toThrow(
    expect.objectContaining({ hint: "Did you mean bucketUrl?" }),
  );
});
