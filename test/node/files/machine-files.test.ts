import { execFileSync } from "node:child_process";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeFileSystem, nodePlatform, NodeStorage } from "@robota/adapters-node";
import { BundlePluginLoader } from "@robota/runtime/plugins";
import { MemoryStorage } from "@robota/runtime/virtual";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeTool } from "../../../packages/runtime/src/tools/builtin/write.ts";
import { toolContext } from "../../support/tool-context.ts";

const isRoot = process.getuid?.() === 0;

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "robota-machine-")));
});
afterEach(() => rm(base, { recursive: true }));

/** Nothing is read-only for root, so that this is done as somebody else then. */
async function asAnyone(work: () => Promise<void>): Promise<void> {
  const nobody = 65_534;
  if (isRoot) process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** A file system of 256 KB, where this test may mount one. */
function mountSmall(): string | undefined {
  const directory = join(base, "small");
  try {
    execFileSync("mkdir", ["-p", directory]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", directory], { stdio: "pipe" });
    return directory;
  } catch {
    return undefined;
  }
}

describe("a root", () => {
  let root: string;
  let fs: NodeFileSystem;
  beforeEach(async () => {
    root = join(base, "root");
    await mkdir(join(root, "inside"), { recursive: true });
    await writeFile(join(base, "secret"), "secret");
    fs = new NodeFileSystem({ root });
  });

  it("can't be left by any path or link, in any notation", async () => {
    await symlink(join(base, "secret"), join(root, "absolute"));
    await symlink("../secret", join(root, "relative"));
    await symlink("../../../../../../../..", join(root, "far"));
    await symlink(base, join(root, "directory"));
    for (const path of [
      "/../secret",
      "/inside/../../secret",
      "/absolute",
      "/relative",
      `/far${base}/secret`,
      "/directory/secret",
    ]) {
      await expect(fs.readFile(path), path).rejects.toMatchObject({ code: "ENOENT" });
      await expect(fs.stat(path), path).rejects.toMatchObject({ code: "ENOENT" });
      await expect(fs.realpath(path), path).rejects.toMatchObject({ code: "ENOENT" });
    }
    await fs.writeFile("/relative", "mine");
    expect(await readFile(join(base, "secret"), "utf8")).toBe("secret");
    expect(await readFile(join(root, "secret"), "utf8")).toBe("mine");
    await expect(fs.mkdir("/directory/new")).rejects.toMatchObject({ code: "ENOENT" });
    await fs.remove("/far", { recursive: true });
    await fs.remove("/directory", { recursive: true, force: true });
    expect(await readFile(join(base, "secret"), "utf8")).toBe("secret");
  });

  it("is the base of absolute links", async () => {
    await fs.writeFile("/inside/file", "x");
    await fs.symlink("/inside", "/link");
    expect(await fs.realpath("/link/file")).toBe("/inside/file");
    expect(new TextDecoder().decode(await fs.readFile("/link/file"))).toBe("x");
  });

  it("appears in no error", async () => {
    const error = await fs.readFile("/inside/none").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ path: "/inside/none" });
    await fs.mkdir("/full/x", { recursive: true });
    const failed = await fs.rename("/inside", "/full").catch((reason: unknown) => reason);
    expect(failed).toMatchObject({ code: "ENOTEMPTY", path: "/full" });
    expect(String(failed)).not.toContain(base);
  });

  it("gives a platform the virtual shell over the same files, and refuses the native one", async () => {
    await using platform = nodePlatform({ root, home: "/home", storageDirectory: join(base, "s") });
    expect(platform.shell.kind).toBe("virtual");
    await platform.fs.writeFile("/inside/file", "seen");
    const { stdout } = await platform.shell.exec("cat file; ls /", { cwd: "/inside" });
    expect(stdout).toContain("seen");
    expect(stdout).toContain("inside");
    expect(() => nodePlatform({ root, shell: "native" })).toThrow(
      expect.objectContaining({ name: "ConfigurationError" }),
    );
    // The interpreter is loaded here, which takes a while.
  });
});

describe("the machine's files", () => {
  const fs = new NodeFileSystem();

  it.runIf(isRoot)("keep their owner when replaced", async () => {
    const file = join(base, "file");
    await writeFile(file, "old");
    await chown(file, 12_345, 23_456);
    await chmod(file, 0o640);
    await fs.writeFile(file, "new");
    const { uid, gid, mode } = await stat(file);
    expect([uid, gid, mode & 0o777]).toEqual([12_345, 23_456, 0o640]);
  });

  it("are not written when read-only", async () => {
    const file = join(base, "file");
    await writeFile(file, "old");
    await chmod(file, 0o444);
    await chmod(base, 0o755);
    await asAnyone(async () => {
      await expect(fs.writeFile(file, "new")).rejects.toMatchObject({ code: "EACCES" });
      await expect(fs.appendFile(file, "new")).rejects.toMatchObject({ code: "EACCES" });
      expect(await readFile(file, "utf8")).toBe("old");
    });
  });

  it("must be regular: a device or a pipe is neither read, written nor waited for", async () => {
    const pipe = join(base, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/null"]) {
      await expect(fs.readFile(path), path).rejects.toMatchObject({ code: "EINVAL" });
      await expect(fs.writeFile(path, "x"), path).rejects.toMatchObject({ code: "EINVAL" });
      await expect(fs.appendFile(path, "x"), path).rejects.toMatchObject({ code: "EINVAL" });
    }
    expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  it("must be regular in a bundle, too", async () => {
    await writeFile(join(base, "plugin.json"), JSON.stringify({ name: "b", version: "1.0.0" }));
    execFileSync("mkfifo", [join(base, "pipe")]);
    const loading = new BundlePluginLoader({ fs }).load(base);
    await expect(loading).rejects.toMatchObject({
      code: "BUNDLE_UNSAFE",
      message: expect.stringContaining("pipe"),
    });
  });

  it.runIf(process.platform === "linux")(
    "are refused where nothing can be created, together with their missing parents",
    async () => {
      const refused = { name: "FileSystemError", code: "ENOENT", hint: /./ };
      for (const path of ["/proc/nope", "/proc/nope/x", "/proc/nope/x/y"])
        await expect(fs.mkdir(path, { recursive: true })).rejects.toMatchObject(refused);
      const within = new NodeFileSystem({ root: "/proc" });
      await expect(within.mkdir("/nope/x", { recursive: true })).rejects.toMatchObject(refused);
      const context = toolContext(nodePlatform({ home: base }), { cwd: base });
      const input = { filePath: "/proc/nope/x/file", content: "x" };
      await expect(writeTool.execute(input, context)).resolves.toMatchObject({
        errorCode: "ENOENT",
      });
    },
  );

  it("stay unchanged when the disk is full", async ({ skip }) => {
    const directory = mountSmall();
    if (!directory) return skip("no file system can be mounted here");
    try {
      const file = join(directory, "file");
      await fs.writeFile(file, "old");
      await fs.appendFile(join(directory, "log"), "line\n");
      const large = "x".repeat(400_000);
      const refused = { code: "ENOSPC", recoverable: true, hint: expect.stringContaining("space") };
      await expect(fs.writeFile(file, large)).rejects.toMatchObject(refused);
      await expect(fs.appendFile(join(directory, "log"), large)).rejects.toMatchObject(refused);
      await expect(fs.writeFile(join(directory, "new"), large)).rejects.toMatchObject(refused);
      expect(await readFile(file, "utf8")).toBe("old");
      expect(await readFile(join(directory, "log"), "utf8")).toBe("line\n");
      expect(await readdir(directory)).toEqual(["file", "log"]);

      await using storage = new NodeStorage({ directory: join(directory, "storage") });
      const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
      await storage.set("key", bytes("old"));
      await storage.append("log", [bytes('{"n":1}')]);
      const full = { name: "StorageError", code: "FULL", recoverable: true };
      await expect(storage.set("key", bytes(large))).rejects.toMatchObject(full);
      await expect(storage.append("log", [bytes('{"n":2}'), bytes(large)])).rejects.toMatchObject(
        full,
      );
      expect(new TextDecoder().decode(await storage.get("key"))).toBe("old");
      expect(await storage.append("log", [bytes('{"n":3}')])).toBe(2);
      expect(await readFile(join(directory, "storage/log.jsonl"), "utf8")).toBe(
        '{"n":1}\n{"n":3}\n',
      );
    } finally {
      execFileSync("umount", [directory]);
    }
  });
});

describe("the Node platform", () => {
  it("keeps sessions under the home, and passes the given environment", async () => {
    const env = { A: "1", PATH: process.env.PATH };
    await using platform = nodePlatform({ home: base, env, allowEnv: ["A"] });
    expect([platform.name, platform.home]).toEqual(["node", base]);
    expect([platform.env("A"), platform.env("B"), platform.env("toString")]).toEqual([
      "1",
      undefined,
      undefined,
    ]);
    await platform.storage.set("sessions/one", new Uint8Array([123, 125]));
    expect(await readdir(join(base, ".robota/sessions"))).toEqual(["one.json"]);
    expect((await platform.shell.exec("echo $A$HOME", { cwd: base })).stdout).toBe("1\n");
  });

  it("accepts given parts", async () => {
    const shell = nodePlatform().shell;
    const now = () => 42;
    const randomUUID = () => "id";
    const fetch = async () => new Response("mine");
    await using platform = nodePlatform({ home: base, shell, now, randomUUID, fetch });
    expect([platform.now(), platform.randomUUID()]).toEqual([42, "id"]);
    expect(platform.shell).toBe(shell);
    expect(await (await platform.fetch("http://anywhere")).text()).toBe("mine");
  });

  it("keeps sessions in a given storage, which stays the caller's, instead of in files", async () => {
    const dispose = vi.fn();
    const storage = Object.assign(new MemoryStorage(), { dispose });
    const platform = nodePlatform({ home: base, storage });
    expect(platform.storage).toBe(storage);
    await platform.storage.set("sessions/one", new Uint8Array());
    await platform.dispose();
    expect(dispose).not.toHaveBeenCalled();
    expect(await readdir(base)).toEqual([]);
  });

  it("refuses a directory for a storage that is given", () => {
    const both = { storage: new MemoryStorage(), storageDirectory: base };
    expect(() => nodePlatform(both)).toThrow(
      expect.objectContaining({ name: "ConfigurationError" }),
    );
  });

  it("can be disposed twice", async () => {
    const platform = nodePlatform({ home: base });
    await platform.storage.set("key", new Uint8Array());
    await platform.dispose();
    await platform[Symbol.asyncDispose]();
    await expect(platform.storage.get("key")).rejects.toMatchObject({ code: "CLOSED" });
  });
});
