import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { beforeAll, describe, expect, it } from "vitest";
import { expectAtBest, expectRatio, expectWithin } from "../../support/time/own-time.ts";

const line = "The quick brown fox jumps over the lazy dog 12345 abcdefghijk\n";
const rows = (length: number): string =>
  JSON.stringify(
    Array.from({ length }, (_, id) => ({ id, name: `the quick brown fox ${id % 100}` })),
  );
const files = {
  "/code/big": line.repeat(40_000),
  "/code/shuffled": Array.from({ length: 100_000 }, (_, at) => `${(at * 7919) % 100_003}\n`).join(
    "",
  ),
  "/code/rows.json": rows(20_000),
  "/code/few.json": rows(5_000),
  "/code/nested/": "",
};
const ABORT_AFTER_MS = 60;
const IN_TIME_MS = 250;

async function setUp() {
  const fs = new MemoryFileSystem({ files });
  await fs.symlink("..", "/code/nested/up");
  await fs.symlink("/code", "/code/nested/again");
  // A limit out of reach, so that only the abort ends what never ends.
  return new VirtualShell({ fs, limits: { programIterations: 1e9 } });
}

// The interpreter is a large module, which test runners load slowly.
beforeAll(async () => void (await (await setUp()).exec("true", { cwd: "/code" })));

/** How long after the moment at which it should end a command ends. */
async function lateness(command: string, stop: "abort" | "timeout"): Promise<number> {
  const shell = await setUp();
  const [program = ""] = command.split(" ");
  // Loads the program. `yes` repeats any argument for ever.
  await shell.exec(`${program} --version | head -n 1`, { cwd: "/code", stdin: "" });
  const controller = new AbortController();
  const started = performance.now();
  if (stop === "abort") setTimeout(() => controller.abort(), ABORT_AFTER_MS);
  const { exitCode, timedOut } = await shell.exec(command, {
    cwd: "/code",
    stdin: "",
    signal: controller.signal,
    timeoutMs: stop === "timeout" ? ABORT_AFTER_MS : undefined,
  });
  expect([command, exitCode, timedOut]).toEqual(
    stop === "abort" ? [command, 130, false] : [command, 124, true],
  );
  return performance.now() - started - ABORT_AFTER_MS;
}

const endless = [
  "sed ':a; s/x/y/; s/y/x/; ba' <<< x",
  "sed -E ':a; s/(x*)(y?)$/\\1z/; ta' <<< xxxx",
  "sed -n 's/\\(q.*k\\)/<\\1>/; s/[aeiou]\\+/V/g; s/o/0/gp' big big big big big big",
  "awk 'BEGIN { while (1) i++ }'",
  "awk '{ for (i = 0; i < 1000; i++) s = s + length($0) } END { print s }' big",
  "for ((i = 0; i < 100000000; i++)); do ((x = i * 2 + 1)); done",
  "while :; do x=$((x + 1)); done",
  "while :; do find -L . -exec true {} +; done",
  "while :; do grep -R fox nested; done",
  "while :; do cp -rL nested copy; rm -r copy; done",
  "sort -k1,1n -k2 big big big big big big big big big",
  "factor 9007199254740881 9007199254740881 9007199254740881 9007199254740881",
  "while :; do diff big shuffled; done",
  "while :; do tar cf t.tar big; tar xf t.tar -O > u; done",
  "while :; do head -n 20000 shuffled | diff -u - /dev/null | patch -R new; done",
  "xxd big big2; while :; do od -c big; done",
  "while :; do x=$(head -n 10000 big); y=${x//o/00}; done",
  "x=$(cat big big big); while :; do y=${x//[0-9]x/00}; done",
  "while :; do : {1..900000}; done",
  "yes | cat > /dev/null",
  "yes | sort | head -1",
  "yes | while read line; do x=$line; done",
  "seq 1 1000000000 | sed s/9/x/ | grep -v x | awk '{ s += $1 } END { print s }'",
  "while :; do echo x; sleep 0.01; done | wc -l",
  "while :; do grep -cE '([a-z]+ )*(quick|lazy)+ x?y?z{2,}$' big; done",
  "while :; do cut -d ' ' -f 2 big | tr a-z A-Z | rev | uniq -c; done",
  "jq '[range(1000) as $i | .[] | select(.name | test(\"([a-z]+ )*qu?ick.*[0-9]+7$\"))] | length' rows.json",
  "jq -n 'reduce range(1000000) as $i (0; . + $i)'",
  "jq -n '0 | until(. < 0; . + 1)'",
  "jq 'def f: [.[] | .id] | add; [range(1000) as $i | f]' rows.json",
  "jq -n '[range(100000) | 0] as $all | [range(5000) | 0] as $part | range(1e6) | $all | indices($part) | length'",
  "jq '. as $a | map({ id, name, b: 1 }) | contains($a), inside($a)' rows.json",
  "jq 'def f: sort_by(.name, -.id) | f; f' rows.json",
  `awk 'BEGIN { s = "xxxxxxxxxx"; for (;;) { if (length(s) < 1e6) gsub(/x/, "xxxxxxxxxx", s); else { t = s; gsub(/x/, "y", t) } } }'`,
  "while :; do sha256sum big; base64 big | gzip | gunzip | cksum; done",
];

it.each(endless)("ends %s soon after an abort", (command) =>
  expectAtBest(IN_TIME_MS, () => lateness(command, "abort")),
);

it.each(endless.slice(0, 8))("ends %s soon after its timeout", (command) =>
  expectAtBest(IN_TIME_MS, () => lateness(command, "timeout")),
);

describe("a computing script", () => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem({ files: { "/code/": "" } }) });
  let canRun = false;
  beforeAll(async () => {
    const { stderr } = await shell.exec("js -e 0", { cwd: "/code" });
    // Some hosts are handed QuickJS compiled, which this test is not.
    canRun = !stderr.includes("can't run on this host");
  });

  it.each([
    "for (;;);",
    "Promise.resolve().then(() => { for (;;); })",
    "setTimeout(() => [1].map(() => { for (;;); }), 1)",
    '/(a+)+$/.test("a".repeat(40) + "b")',
    "process.exitCode = { valueOf() { for (;;); } }",
  ])("ends soon after an abort in the middle of %s, while others run", async (code) => {
    if (!canRun) return;
    await expectAtBest(IN_TIME_MS, async () => {
      let last = performance.now();
      let longest = 0;
      const controller = new AbortController();
      let aborted = 0;
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 2);
      setTimeout(() => {
        aborted = performance.now();
        controller.abort();
      }, ABORT_AFTER_MS * 2);
      const { signal } = controller;
      const ended = await shell.exec(`js -e '${code}'`, { cwd: "/code", signal });
      clearInterval(beat);
      expect(ended).toMatchObject({ exitCode: 130, stderr: "" });
      return Math.max(performance.now() - aborted, longest);
    });
  });

  it("continues after pauses, beside others", async () => {
    if (!canRun) return;
    const code = (depth: number): string =>
      `const f = (n) => (n ? f(n - 1) + 1 : 0); let sum = 0;
      for (let i = 0; i < 20000; i++) sum += f(${depth}); console.log(sum)`;
    const ends = await Promise.all(
      [3, 5, 7].map((depth) => shell.exec(`js -e '${code(depth)}'`, { cwd: "/code" })),
    );
    expect(ends.map(({ stdout }) => stdout)).toEqual(["60000\n", "100000\n", "140000\n"]);
  });

  it("ends at its timeout, long before its own limit", async () => {
    if (!canRun) return;
    // Its own limit would end it with another code.
    const ended = await shell.exec("js -e 'for (;;);'", { cwd: "/code", timeoutMs: 100 });
    expect(ended).toMatchObject({ exitCode: 124, timedOut: true });
  });
});

it.each([
  ['[.[] | select(.name | test("f(o|u)x 7"))] | length', "550\n"],
  ["reduce .[] as {id: $id} (0; . + $id)", "12497500\n"],
  ["[foreach .[].id as $id (0; . + $id; select($id % 2499 == 0))]", "[0,3123750,12492501]\n"],
  [
    '[.[] | try (if .id % 2 == 0 then error("x") else .id end) catch .] | unique | length',
    "2501\n",
  ],
  [
    "first(.[] | select(.id > 4000) | .id), last(.[] | .id?), ([.[] | .a?] | length)",
    "4001\n4999\n5000\n",
  ],
  ["sort_by(-.id) | group_by(.id % 3) | map(length)", "[1667,1667,1666]\n"],
  ["[label $out | .[] | if .id > 3 then break $out else .id end]", "[0,1,2,3]\n"],
  [
    "def f: if . > 5020 then . else . + 1 | f end; [.[].id | select(. > 4990)] | map(f) | add",
    "45189\n",
  ],
  ["0 | until(. > 40000; . + 1)", "40001\n"],
  [
    'map(select(.id < 3)) | .[0].id |= 7 | del(.[1]) | [.[].id], (map(.name) | any(endswith("2")))',
    "[7,2]\ntrue\n",
  ],
])("gives the same result of jq's %s with and without pauses", async (program, expected) => {
  const { stdout, stderr } = await (
    await setUp()
  ).exec(`jq -c '${program}' few.json`, { cwd: "/code" });
  expect([stdout, stderr]).toEqual([expected, ""]);
});

it("bounds endless computations by steps", async () => {
  const fs = new MemoryFileSystem({ files });
  // A tenth of what they are given without being told.
  const shell = new VirtualShell({ fs, limits: { programIterations: 50_000 } });
  for (const program of [
    "reduce range(1000000000) as $i (0; . + $i)",
    "def f: 1 + f; f",
    "[limit(100000000; repeat(1))] | length",
    "last(range(1000000000))",
  ]) {
    await expectWithin(2_000, async () => {
      const { exitCode, stderr } = await shell.exec(`jq -n '${program}'`, { cwd: "/code" });
      expect([program, exitCode]).not.toEqual([program, 0]);
      expect(stderr).not.toBe("");
    });
  }
});

it("costs nothing for being interruptible", async () => {
  const shell = await setUp();
  const run = async (options: { timeoutMs?: number }): Promise<void> => {
    for (let count = 0; count < 40; count++) {
      await shell.exec("echo a | cat; ls; test -f big", { cwd: "/code", ...options });
    }
  };
  await run({});
  await expectRatio(
    1.3,
    () => run({ timeoutMs: 60_000 }),
    () => run({}),
  );
});

it("leaves only earlier effects of an aborted command", async () => {
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  const shell = new VirtualShell({ fs });
  const controller = new AbortController();
  const running = shell.exec("i=0; while :; do i=$((i + 1)); echo $i > count; done", {
    cwd: "/code",
    signal: controller.signal,
  });
  await expect.poll(() => fs.readdir("/code")).toHaveLength(1);
  controller.abort();
  const { exitCode, stderr } = await running;
  expect([exitCode, stderr]).toEqual([130, ""]);
  const count = new TextDecoder().decode(await fs.readFile("/code/count"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(new TextDecoder().decode(await fs.readFile("/code/count"))).toBe(count);
});

it("compares very different texts, with a correct diff", async () => {
  const shell = await setUp();
  const { stdout } = await shell.exec(
    `seq 1 4000 > one; seq 1 2 6000 > other; head -4000 shuffled > mixed
    for pair in "one other" "one mixed" "mixed one"; do
      set -- $pair; cp $1 copy; diff $1 $2 > change; patch -s copy change; cmp copy $2 && echo same
    done`,
    { cwd: "/code" },
  );
  expect(stdout).toBe("same\nsame\nsame\n");
});
