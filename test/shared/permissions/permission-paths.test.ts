import { withHost } from "#host";
import { evaluatePermission, type PermissionLists, type Platform } from "@robota/runtime";
import { explainOnFiles, type PermissionContext, resolvePaths } from "@robota/runtime/permissions";
import { describe, expect, it } from "vitest";
import { isReadOnly } from "../../../packages/runtime/src/permissions/read-only/read-only-commands.ts";

const OUTSIDE = "/robota-outside-of-everything";

function contextFor(cwd: string, home = "/home/nobody"): PermissionContext {
  return { cwd, roots: [cwd], home, isReadOnly };
}

/** Ways to write a path below `inside`, all of which lead out of the workspace. */
function escapes(cwd: string): string[] {
  const up = cwd
    .split("/")
    .map(() => "..")
    .join("/");
  const targets = ["etc/passwd", "robota-outside-of-everything/a", "etc/../etc/hosts", ".bashrc"];
  const prefixes = [
    "",
    "./",
    "././",
    "src/../",
    "src/./../",
    "src//..//",
    "src/deep/../../",
    "a/b/c/../../../",
    "src/.../../../",
    "./src/.././",
    "nothing/../",
    "src/..//./",
    `${cwd}/`,
    `${cwd}//`,
    `${cwd}/./`,
    `${cwd}/src/../`,
    `//${cwd}/`,
    `${cwd}/../${cwd.split("/").at(-1)}/`,
  ];
  const climbs = [up, `${up}/..`, `./${up}`, `${up}/../../..`, `${up}/.`, `${up}//`];
  const climbing = prefixes.flatMap((prefix) =>
    climbs.flatMap((climb) => targets.map((target) => `${prefix}${climb}/${target}`)),
  );
  const absolute = targets.flatMap((target) => [
    `/${target}`,
    `//${target}`,
    `/./${target}`,
    `/../${target}`,
  ]);
  const neighbours = [
    `${cwd}-2/a`,
    `${cwd}2/a`,
    `${cwd}/../x`,
    `../${cwd.split("/").at(-1)}-secret/a`,
    "..",
    "../",
    `${cwd}/..`,
  ];
  return [...climbing, ...absolute, ...neighbours];
}

/** Through the links that `makeLinks` makes. */
const LINKED = [
  "to-outside",
  "to-outside/a",
  "to-outside/deep/er/a",
  "to-outside/../a",
  "dir/to-root/etc/passwd",
  "dir/to-root",
  "dir/../dir/to-root/etc",
  "chain",
  "chain/a",
  "dangling",
  "dangling-dir/a",
  "to-parent/x",
  "to-parent",
  "src/up/../../x",
  "around",
  "around/a",
  "self",
  "self/a",
];

async function makeLinks({ fs }: Platform, cwd: string): Promise<void> {
  await fs.mkdir(`${cwd}/dir`, { recursive: true });
  await fs.mkdir(`${cwd}/src/deep`, { recursive: true });
  await fs.symlink("/etc", `${cwd}/to-outside`);
  await fs.symlink("/", `${cwd}/dir/to-root`);
  await fs.symlink("chain-2", `${cwd}/chain`);
  await fs.symlink("chain-3", `${cwd}/chain-2`);
  await fs.symlink("/etc", `${cwd}/chain-3`);
  await fs.symlink(`${OUTSIDE}/file`, `${cwd}/dangling`);
  await fs.symlink(`${OUTSIDE}/dir`, `${cwd}/dangling-dir`);
  await fs.symlink("..", `${cwd}/to-parent`);
  await fs.symlink("../..", `${cwd}/src/up`);
  await fs.symlink("around-2", `${cwd}/around`);
  await fs.symlink("around", `${cwd}/around-2`);
  await fs.symlink("self", `${cwd}/self`);
}

const UNUSABLE = [
  "a\0b",
  "a\nb",
  "a\rb",
  "\u0001",
  "a\u009bb",
  "C:\\x",
  "c:x",
  "C:/x",
  "\\\\server\\share",
  "\\\\?\\C:\\x",
  "\\??\\C:\\x",
  "\\x",
  "//?/C:/x",
  "//./COM1",
  "file:///etc/passwd",
  "a.txt::$DATA",
  ".git::$INDEX_ALLOCATION/x",
  "a.txt:x:$DATA",
  "\ud800x",
  "x\udc00",
  "x".repeat(5000),
];

describe("paths on this host", () => {
  it("never leave the workspace without approval: T-08, T-09, A1, A9, A21, A31, A37", () =>
    withHost(async ({ platform, cwd }) => {
      await makeLinks(platform, cwd);
      const forms = [...escapes(cwd), ...LINKED];
      const tried = forms.length * 3 + UNUSABLE.length;
      const escaped: string[] = [];
      const broad: PermissionLists = {
        allow: ["Write", "Write(/**)", "Write(src/**)", "Edit(/**)", "Read(/**)"],
      };
      for (const [index, filePath] of forms.entries()) {
        const tools =
          index % 7 === 0 || LINKED.includes(filePath) ? ["Read", "Write", "Edit"] : ["Read"];
        for (const tool of tools) {
          const { decision } = await explainOnFiles(
            platform.fs,
            tool,
            { filePath },
            "acceptEdits",
            broad,
            contextFor(cwd),
          );
          if (decision === "auto") escaped.push(`${tool} ${filePath}`);
        }
        const redirected = evaluatePermission(
          "Bash",
          { command: `echo x > ${filePath}` },
          "acceptEdits",
          {},
          contextFor(cwd),
        );
        if (redirected === "auto" && !LINKED.includes(filePath)) escaped.push(`> ${filePath}`);
      }
      for (const filePath of UNUSABLE) {
        const { decision } = await explainOnFiles(
          platform.fs,
          "Read",
          { filePath },
          "acceptEdits",
          broad,
          contextFor(cwd),
        );
        if (decision !== "deny") escaped.push(filePath);
      }
      console.info(
        `${tried} uses of ${forms.length + UNUSABLE.length} path forms, ${escaped.length} escaped`,
      );
      expect(forms.length + UNUSABLE.length).toBeGreaterThanOrEqual(400);
      expect(escaped).toEqual([]);
    }));

  it("follow links in a shell line as well", () =>
    withHost(async ({ platform, cwd }) => {
      await makeLinks(platform, cwd);
      const decide = async (command: string): Promise<string> =>
        (await explainOnFiles(platform.fs, "Bash", { command }, "acceptEdits", {}, contextFor(cwd)))
          .decision;
      for (const path of LINKED) {
        expect([path, await decide(`echo x > ${path}`)]).toEqual([path, "approve"]);
        expect([path, await decide(`cat ${path}`)]).toEqual([path, "approve"]);
        expect([path, await decide(`cd ${path} && ls`)]).toEqual([path, "approve"]);
      }
      expect(await decide("cat src/a.ts")).toBe("auto");
      expect(await decide("echo x > src/a.ts")).toBe("auto");
    }));

  it("are allowed inside of the workspace, whatever exists", () =>
    withHost(async ({ platform, cwd }) => {
      const { fs } = platform;
      await fs.mkdir(`${cwd}/src`);
      await fs.symlink("src", `${cwd}/link`);
      for (const filePath of [
        "src/a.ts",
        "./src/./a.ts",
        "new/deep/a.ts",
        "link/a.ts",
        `${cwd}/src/../b.ts`,
        "a b",
        "ü",
        "...",
        "src/..a",
      ]) {
        const { decision } = await explainOnFiles(
          fs,
          "Write",
          { filePath },
          "acceptEdits",
          {},
          contextFor(cwd),
        );
        expect([filePath, decision]).toEqual([filePath, "auto"]);
      }
    }));

  it("need a rule for the link and for its target: A9, 2.1.89, 2.1.69", () =>
    withHost(async ({ platform, cwd }) => {
      const { fs } = platform;
      await fs.mkdir(`${cwd}/open`);
      await fs.mkdir(`${cwd}/closed`);
      await fs.symlink("../closed/a", `${cwd}/open/link`);
      const decide = async (filePath: string, lists: PermissionLists): Promise<string> =>
        (await explainOnFiles(fs, "Write", { filePath }, "default", lists, contextFor(cwd)))
          .decision;
      expect(await decide("open/a", { allow: ["Write(/open/**)"] })).toBe("auto");
      expect(await decide("open/link", { allow: ["Write(/open/**)"] })).toBe("approve");
      expect(await decide("open/link", { allow: ["Write(/open/**)", "Write(/closed/**)"] })).toBe(
        "auto",
      );
      expect(await decide("open/link", { allow: ["Write"], deny: ["Write(/closed/**)"] })).toBe(
        "deny",
      );
      expect(await decide("open/link", { allow: ["Write"], deny: ["Write(/open/**)"] })).toBe(
        "deny",
      );
    }));

  it("are resolved each time, so a later link is noticed: 2.1.210", () =>
    withHost(async ({ platform, cwd }) => {
      const { fs } = platform;
      const decide = async (): Promise<string> =>
        (
          await explainOnFiles(
            fs,
            "Write",
            { filePath: "late/a" },
            "acceptEdits",
            {},
            contextFor(cwd),
          )
        ).decision;
      expect(await decide()).toBe("auto");
      await fs.mkdir(`${cwd}/.claude`);
      await fs.symlink(".claude", `${cwd}/late`);
      expect(await decide()).toBe("approve");
    }));

  it("that are dangling or circular are reported so", () =>
    withHost(async ({ platform, cwd }) => {
      await makeLinks(platform, cwd);
      const real = await platform.fs.realpath(cwd);
      const found = await resolvePaths(platform.fs, [
        `${cwd}/self`,
        `${cwd}/around/a`,
        `${cwd}/dangling`,
        `${cwd}/new/a`,
        `${cwd}/src/up/../x`,
      ]);
      expect(found.get(`${cwd}/self`)).toBeUndefined();
      expect(found.get(`${cwd}/around/a`)).toBeUndefined();
      expect(found.get(`${cwd}/dangling`)).toContain(`${OUTSIDE}/file`);
      expect(found.get(`${cwd}/new/a`)).toContain(`${real}/new/a`);
      // As a program finds it that follows the link before it goes up.
      expect(found.get(`${cwd}/src/up/../x`)?.length).toBeGreaterThan(1);
    }));
});
