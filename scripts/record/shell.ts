// Runs every command line of `test/conformance/cases/*.txt` with this machine's bash and GNU tools and keeps the answers in `answers/`:
// `node scripts/record/shell.ts [group...]`. Needs Linux with `unshare`; commands see a file system of their own at
// `/mnt/code`, `/tmp` and `/home`, and start in a copy of `tree.json`. In a file of cases every line is a command line;
// one of several lines stands between lines of `"""`.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  lutimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  changesBetween,
  contentOf,
  describeBytes,
  describeFile,
  directory,
  environment,
  writtenMs,
  type Case,
  type Tree,
} from "../../test/conformance/cases.ts";

const here = join(import.meta.dirname, "../../test/conformance");
const start: Tree = JSON.parse(readFileSync(join(here, "tree.json"), "utf8"));
const MAX_MS = 10_000;
const MAX_BYTES = 10_000;

function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let open: string[] | undefined;
  for (const line of text.split("\n")) {
    if (line === '"""') {
      if (open) commands.push(open.join("\n"));
      open = open ? undefined : [];
    } else if (open) open.push(line);
    else if (line !== "") commands.push(line);
  }
  if (open) throw new Error('A case is not closed by """.');
  const twice = commands.find((command, at) => commands.indexOf(command) !== at);
  if (twice !== undefined) throw new Error(`A case is there twice: ${twice}`);
  return commands;
}

function writeStart(): void {
  for (const name of readdirSync(directory)) {
    rmSync(join(directory, name), { recursive: true, force: true });
  }
  for (const [path, entry] of Object.entries(start)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof entry === "object" && "link" in entry) symlinkSync(entry.link, file);
    else if (typeof entry === "object" && "directory" in entry) mkdirSync(file);
    else {
      writeFileSync(file, contentOf(entry));
      chmodSync(file, typeof entry === "object" && entry.executable ? 0o755 : 0o644);
    }
    lutimesSync(file, writtenMs / 1000, writtenMs / 1000);
  }
}

function readTree(path = directory, tree: Tree = {}): Tree {
  const names = readdirSync(path);
  if (names.length === 0 && path !== directory) {
    tree[path.slice(directory.length + 1)] = { directory: true };
  }
  for (const name of names) {
    const file = join(path, name);
    const key = file.slice(directory.length + 1);
    const stat = lstatSync(file);
    if (stat.isDirectory()) readTree(file, tree);
    else if (stat.isSymbolicLink()) tree[key] = { link: readlinkSync(file) };
    else if (stat.isFile()) tree[key] = describeFile(readFileSync(file), (stat.mode & 0o100) !== 0);
  }
  return tree;
}

function answer(command: string): Case {
  writeStart();
  const before = readTree();
  const { stdout, stderr, status, error } = spawnSync("bash", ["-c", command, "bash"], {
    cwd: directory,
    env: { ...environment, PATH: "/usr/bin:/bin" },
    input: "",
    timeout: MAX_MS,
    maxBuffer: 1_000_000,
  });
  if (error) throw new Error(`${command}: ${error.message}`);
  if (stdout.length > MAX_BYTES) throw new Error(`${command}: ${stdout.length} bytes of output`);
  const files = changesBetween(before, readTree());
  return {
    command,
    stdout: describeBytes(stdout),
    stderr: stderr.length > 0,
    exitCode: status ?? 1,
    files,
  };
}

if (process.env.ROBOTA_RECORDING === undefined) {
  const { status } = spawnSync(
    "unshare",
    ["--mount", "--user", "--map-root-user", process.execPath, ...process.argv.slice(1)],
    { stdio: "inherit", env: { ...process.env, ROBOTA_RECORDING: "1" } },
  );
  process.exit(status ?? 1);
}
for (const path of ["/mnt", "/tmp", "/home"]) {
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "mode=755", "none", path], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}
mkdirSync(directory);
mkdirSync(environment.HOME);
process.umask(0o022);
const asked = process.argv.slice(2);
const groups = readdirSync(join(here, "cases")).map((file) => file.slice(0, -".txt".length));
for (const group of asked.length > 0 ? asked : groups) {
  const cases = commandsOf(readFileSync(join(here, "cases", `${group}.txt`), "utf8")).map(answer);
  const [again] = [cases.map(({ command }) => answer(command))];
  cases.forEach((one, at) => {
    if (JSON.stringify(one) !== JSON.stringify(again[at])) {
      console.error(`Not the same twice: ${one.command}`);
    }
  });
  writeFileSync(join(here, "answers", `${group}.json`), `${JSON.stringify(cases, null, 2)}\n`);
  console.log(`${group}: ${cases.length}`);
}
