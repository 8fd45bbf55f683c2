import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeFileSystem } from "@robota/adapters-node";
import { VirtualShell } from "@robota/shell";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, expect, it } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "robota-rg-"));

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "plain.txt": "foo bar\nFoo\nnone\nfoo foo\nlast",
  "repeated.txt": "foo\nfoo\nfoo\nx\n",
  "blank.txt": "foo\n\n\nfoo\n",
  "blocks.txt": "a b\na b\nc\na b\n",
  "letters.txt": 'é foo naïve 😀 foo\n\t"foo" \\ \u0007\u007f\u2028\n',
  "mark.txt": "\ufefffoo\n",
  "empty.txt": "",
  "windows.txt": "foo\r\nbar\r\n",
  "sub/deep.txt": "the foot\nfoo.bar\n",
  "sub/latin": Uint8Array.of(
    0x78,
    0xff,
    0xe9,
    0x20,
    0x66,
    0x6f,
    0x6f,
    0xf0,
    0x9f,
    0x0a,
    0x66,
    0x6f,
    0x6f,
    0x0a,
  ),
  "sub/binary": "foo\nxx\nbar\0baz\nfoo2\n",
};

beforeAll(async () => {
  await mkdir(join(directory, "sub"));
  for (const [name, content] of Object.entries(FILES))
    await writeFile(join(directory, name), content);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Searches of which ripgrep and our `rg` print the same messages. */
const SEARCHES: readonly (readonly string[])[] = [
  ["foo"],
  ["foo", "."],
  ["foo", "sub"],
  ["-i", "foo", "plain.txt"],
  ["-S", "Foo", "plain.txt"],
  ["-w", "foo", "plain.txt", "sub/deep.txt"],
  ["-x", "foo"],
  ["-F", "foo.bar"],
  ["-F", "-e", "foo.bar", "-e", "foot"],
  ["-C1", "foo"],
  ["-i", "-C", "1", "none|last", "plain.txt"],
  ["-A1", "-B", "2", "none", "plain.txt"],
  ["-v", "foo"],
  ["-v", "-C1", "foo", "plain.txt"],
  ["-m1", "foo"],
  ["-m1", "-A2", "foo", "plain.txt"],
  ["--max-count=2", "foo", "repeated.txt"],
  ["-m", "4", "foo", "repeated.txt"],
  ["-v", "-m1", "foo", "plain.txt"],
  ["-v", "-m1", "foo", "repeated.txt"],
  ["-m0", "foo"],
  ["--passthru", "foo", "plain.txt"],
  ["-o", "-n", "-b", "-H", "--column", "--heading", "foo", "plain.txt"],
  ["-o", "-C1", "none", "plain.txt"],
  ["-r", "<$0>", "fo+", "plain.txt"],
  ["-r", "$1", "(o+) b", "plain.txt"],
  ["o*", "repeated.txt", "plain.txt"],
  ["", "plain.txt", "blank.txt"],
  ["$", "plain.txt", "blank.txt"],
  ["^", "blank.txt", "empty.txt"],
  ["^foo", "mark.txt"],
  ["foo", "sub/latin"],
  ["-v", "x", "sub/latin"],
  ["foo", "sub/binary"],
  ["-a", "foo", "sub/binary"],
  ["-U", "bar\\nFoo", "plain.txt"],
  ["-U", "a b\\n", "blocks.txt"],
  ["-U", "b\\na", "blocks.txt"],
  ["-U", "\\n", "blank.txt"],
  ["-U", "a b", "blocks.txt"],
  ["-U", "-m2", "a b\\n", "blocks.txt"],
  ["-U", "-C1", "b\\nc", "blocks.txt"],
  ["-U", "-r", "-", "b\\na", "blocks.txt"],
  ["-U", "-v", "-C1", "a b", "blocks.txt"],
  ["-q", "foo"],
  ["-q", "nothere"],
  ["nothere"],
  ["-g", "*.md", "foo"],
  ["-g", "*.md", "foo", "sub"],
  ["foo", "missing"],
  ["foo", "missing", "plain.txt"],
  ["foo", "plain.txt", "-c"],
  ["foo", "plain.txt", "--count-matches"],
  ["foo", "-l"],
  ["foo", "--files-without-match"],
  ["--files", "sub"],
  ["foo", "plain.txt", "--no-json"],
  ["-c", "--no-json", "foo", "plain.txt"],
];

/** These come before `--json`, which then decides. */
const OVERRIDDEN: readonly (readonly string[])[] = [
  ["-c"],
  ["-l"],
  ["--count-matches"],
  ["--files-without-match"],
  ["--files"],
  ["--no-json"],
];

const commands = [
  ...SEARCHES.map((words) => ["--json", ...words]),
  ...OVERRIDDEN.map((words) => [...words, "--json", "foo"]),
].map((words) => [["--sort", "path", ...words]] as const);

/** Messages without the times, which no two searches share. */
function messages(output: string): unknown[] {
  return output.split("\n").map((line) => {
    if (!line.startsWith("{")) return line;
    const message: unknown = JSON.parse(line, (key, value: unknown) => {
      if (key === "secs" || key === "nanos") return typeof value;
      return key === "human" ? /^\d+\.\d{6}s$/.test(String(value)) : value;
    });
    return message;
  });
}

async function own(words: readonly string[], stdin?: string): Promise<object> {
  const shell = new VirtualShell({ fs: new NodeFileSystem() });
  const command = ["rg", ...words].map((word) => `'${word}'`).join(" ");
  const { stdout, exitCode } = await shell.exec(command, {
    cwd: directory,
    ...(stdin === undefined ? {} : { stdin }),
  });
  return { messages: messages(stdout), exitCode };
}

function real(words: readonly string[], input?: string): object {
  const { stdout, status } = spawnSync(rgPath, words, {
    cwd: directory,
    encoding: "utf8",
    ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] } : { input }),
  });
  return { messages: messages(stdout), exitCode: status };
}

it.each(commands)("prints what ripgrep does for %j", async (words) => {
  expect(await own(words)).toEqual(real(words));
});

it("names its input as ripgrep does", async () => {
  const words = ["--json", "-n", "foo"];
  expect(await own(words, "a\nfoo\n")).toEqual(real(words, "a\nfoo\n"));
});
