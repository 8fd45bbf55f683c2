import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession, Session } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** The compiler's errors about a program, or nothing. */
function errorsOf(program: string): string {
  const directory = mkdtempSync(join(root, "test/node/session/.sample-"));
  try {
    writeFileSync(join(directory, "sample.ts"), program);
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
    const config = { compilerOptions: options, files: ["sample.ts"] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const imports = [
  'import { nodePlatform } from "@robota/adapters-node";',
  'import { InteractiveSession } from "@robota/runtime";',
  'import { OfflineProvider } from "@robota/runtime/providers/offline";',
  "const provider = new OfflineProvider();",
].join("\n");

it("names the missing options of a session without a platform in the compile error", () => {
  const errors = errorsOf(`${imports}\nnew InteractiveSession({ cwd: "/work", provider });`);
  expect(errors).toContain("a session needs { platform, provider }");
  expect(errors).toContain("nodePlatform() of @robota/adapters-node");
});

it("compiles with the named options, and reports a misspelt option without mentioning platforms", () => {
  const made = `new InteractiveSession({ platform: nodePlatform(), cwd: "/work", provider`;
  expect(errorsOf(`${imports}\n${made} });`)).toBe("");
  const errors = errorsOf(`${imports}\n${made}, permisionMode: "plan" });`);
  expect(errors).toContain("permisionMode");
  expect(errors).not.toContain("a session needs");
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
  await using session = create({ platform: nodePlatform(), provider: new OfflineProvider() });
  await session.ready;
  expect(session.getPermissionMode()).toBe("default");
});

it("accepts a prepared session instead", async () => {
  const session = new Session({ platform: memoryPlatform(), provider: new OfflineProvider() });
  await using interactive = new InteractiveSession({ session });
  await interactive.ready;
  expect(interactive.sessionId).toBe(session.sessionId);
});
