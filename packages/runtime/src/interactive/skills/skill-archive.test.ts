import { describe, expect, it } from "vitest";
import { compress } from "../../virtual/archive/compression.ts";
import { type TarEntry, writeTar } from "../../virtual/archive/tar-format.ts";
import { writeZip } from "../../virtual/archive/zip-format.ts";
import { isArchive, openArchive } from "./skill-archive.ts";

type Member = Partial<TarEntry> & { name: string; text?: string };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const tarOf = (members: readonly Member[]): Uint8Array =>
  writeTar(
    members.map(({ text = "", ...member }) => ({
      type: "file",
      mode: 0o644,
      mtimeMs: 0,
      content: bytesOf(text),
      target: "",
      ...member,
    })),
  );
const zipOf = (members: readonly Member[]): Promise<Uint8Array> =>
  writeZip(
    members.map(({ name, text = "", type, target, content, mode = 0o644 }) => ({
      name,
      mode,
      mtimeMs: 0,
      isSymlink: type === "symlink",
      bytes: content ?? bytesOf(target ?? text),
    })),
  );
const KINDS: [string, (members: readonly Member[]) => Promise<Uint8Array>][] = [
  ["zip", zipOf],
  ["tar", async (members) => tarOf(members)],
  ["tar.gz", (members) => compress(tarOf(members), "gzip")],
];
const SKILL: Member = { name: "forms/SKILL.md", text: "the skill" };

describe.each(KINDS)("the %s of a skill", (_kind, pack) => {
  it("has its SKILL.md at the top, or in a folder of any name", async () => {
    for (const folder of ["", "repository-1a2b3c/"]) {
      const bytes = await pack([
        { name: `${folder}SKILL.md`, text: "the skill" },
        { name: `${folder}references/a.md`, text: "a" },
      ]);
      expect(isArchive(bytes)).toBe(true);
      const { file, fileNames, files, directory } = await openArchive(bytes, "forms.zip");
      expect(new TextDecoder().decode(file)).toBe("the skill");
      expect(fileNames).toEqual(["references/a.md"]);
      expect(await files.readFile(`${directory}/references/a.md`)).toEqual(bytesOf("a"));
    }
    await expect(
      pack([{ name: "skills/forms/SKILL.md" }]).then((bytes) => openArchive(bytes, "x")),
    ).rejects.toThrow("no SKILL.md at its top");
  });

  it.each([
    ["a file outside", { name: "../evil", text: "x" }],
    ["an absolute file", { name: "/etc/evil", text: "x" }],
    ["a file in another one", { name: "forms/SKILL.md/x", text: "x" }],
    ["too large a file", { name: "forms/large", content: new Uint8Array(4_000_001) }],
  ] as [string, Member][])("with %s is refused", async (_what, member) => {
    const bytes = await pack([SKILL, member]);
    await expect(openArchive(bytes, "forms")).rejects.toMatchObject({ name: "ImportError" });
  });

  it("with too many or too deeply nested files is refused", async () => {
    const many = Array.from({ length: 501 }, (_, at) => ({ name: `forms/${at}`, text: "" }));
    const deep = { name: `${"d/".repeat(16)}x`, text: "" };
    for (const members of [
      [SKILL, ...many],
      [SKILL, deep],
    ])
      await expect(openArchive(await pack(members), "forms")).rejects.toMatchObject({
        name: "ImportError",
      });
  });

  it("omits a link that leads outside", async () => {
    const bytes = await pack([
      SKILL,
      { name: "forms/key", type: "symlink", target: "/etc/passwd" },
      { name: "forms/up", type: "symlink", target: "../../x" },
    ]);
    const { files, directory } = await openArchive(bytes, "forms");
    expect((await files.readdir(directory)).map(({ name }) => name)).toEqual(["SKILL.md"]);
  });
});

it("distinguishes archives from files", () => {
  expect(isArchive(bytesOf("---\nname: x\n---\n"))).toBe(false);
  expect(isArchive(new Uint8Array())).toBe(false);
});
