import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { beforeAll, expect, it } from "vitest";

function setUp() {
  const fs = new MemoryFileSystem({
    files: { "/code/list": "one\ntwo\nthree\n", "/code/slow.sh": "echo a\nsleep 1\necho b\n" },
  });
  const shell = new VirtualShell({ fs });
  return {
    fs,
    run: (command: string, options: object = {}) =>
      shell.exec(command, { cwd: "/code", timeoutMs: 15_000, ...options }),
  };
}

// Programs are modules, which test runners load slowly.
beforeAll(async () => {
  await setUp().run("seq 2 | sed p | grep 1 | awk 1 | cut -c 1 | tr 1 2 | sort | head -1; jq -n 1");
});

const statuses = 'echo "${PIPESTATUS[@]}"';

/** Bash's answers. The statuses of a pipeline are those of programs that write more than a pipe holds. */
it.each([
  ["yes | head -2", "y\ny\n141 0\n"],
  ["yes | head -c 5 | wc -c", "5\n141 0 0\n"],
  ["while true; do echo x; done | head -2", "x\nx\n141 0\n"],
  ["until false; do echo x; done | head -n1", "x\n141 0\n"],
  ["for ((;;)); do echo x; done | sed 2q", "x\nx\n141 0\n"],
  ["f() { while :; do echo $1; done; }; f a | head -1", "a\n141 0\n"],
  // In bash these go on for ever, since what nobody reads ends a process of the loop and not the loop.
  ["{ while :; do (echo x); done; } | head -1", "x\n141 0\n"],
  ["while :; do seq 3 | cat; done | head -4", "1\n2\n3\n1\n141 0\n"],
  ["bash -c 'while :; do echo x; done' | head -1", "x\n141 0\n"],
  ["eval 'while :; do echo x; done' | head -1", "x\n141 0\n"],
  ["seq 1 1000000000 | head -1", "1\n141 0\n"],
  ["seq 1 1000000000 | grep -m1 77", "77\n141 0\n"],
  ["seq 1 1000000000 | grep -q 5 && echo found", "found\n0\n"],
  ["seq 1 1000000000 | sed -n '3p;4q'", "3\n141 0\n"],
  ["seq 1 1000000000 | awk 'NR == 3 { print; exit }'", "3\n141 0\n"],
  ["seq 1 1000000000 | awk '{ for (;;) print } ' | head -2", "1\n1\n141 141 0\n"],
  ["seq 1 1000000000 | { read a; read b; echo $b; }", "2\n141 0\n"],
  ["seq 1 1000000000 | while read n; do if [ $n = 4 ]; then break; fi; done", "141 0\n"],
  ["seq 1 1000000000 | true", "141 0\n"],
  [
    "yes | tr y n | cut -c 1 | sed s/n/m/ | grep m | cat | head -1",
    "m\n141 141 141 141 141 141 0\n",
  ],
  ["yes | uniq | head -1", "y\n141 141 0\n"],
  ["yes | uniq -D | head -2", "y\ny\n141 141 0\n"],
  ["seq 1 1000000000 | uniq -c | head -2", "      1 1\n      1 2\n141 141 0\n"],
  ["seq 1 1000000000 | nl -s: | head -2", "     1:1\n     2:2\n141 141 0\n"],
  ["yes | xargs -n1 echo 2>/dev/null | head -2", "y\ny\n141 125 0\n"],
  ["seq 1 1000000000 | xargs -I{} echo n{} 2>/dev/null | head -1", "n1\n141 125 0\n"],
  ["yes 'a b' | xargs -L 2 echo 2>/dev/null | sed 1q", "a b a b\n141 125 0\n"],
  ["yes | xargs 2>/dev/null | head -c 4 | wc -c", "4\n141 125 0 0\n"],
  ["seq 3 | xargs -n2 echo; printf 'a\\\\\nb c' | xargs -n1 echo", "1 2\n3\na\nb\nc\n0 0\n"],
  ["yes 2>/dev/null | head -1", "y\n141 0\n"],
  ["while :; do echo x; ls nope; done 2>&1 | head -2 | wc -l", "2\n141 0 0\n"],
  ["{ echo a; echo b >&2; echo c; } 2>&1 | cat", "a\nb\nc\n0 0\n"],
  ["yes | tee copy | head -1; head -1 copy", "y\ny\n0\n"],
  ["seq 5 | head -2", "1\n2\n0 0\n"],
  ["(exit 3) | (exit 4) | true", "3 4 0\n"],
  ["{ echo a; exit 3; } | cat", "a\n3 0\n"],
])("ends %s when its reader closes", async (command, expected) => {
  const { stdout, stderr } = await setUp().run(`${command}; ${statuses}`);
  expect([stdout, stderr]).toEqual([expected, ""]);
});

it.each([
  ["head -c 100000 /dev/zero | wc -c; head -c 70000 /dev/urandom | wc -c", "100000\n70000\n"],
  ["dd if=/dev/urandom bs=1000 count=70 status=none | wc -c", "70000\n"],
  ["tr -dc a-z < /dev/urandom | head -c 20 | wc -c; tail -f list", "20\none\ntwo\nthree\n"],
  ["set -o pipefail; yes | head -1 > /dev/null; echo $?", "141\n"],
  ["set -o pipefail; seq 3 | head -1 > /dev/null; echo $?", "0\n"],
  ["! yes | head -1; echo $?", "y\n1\n"],
  ["x=$(yes | head -3); echo $x", "y y y\n"],
  ["if yes | grep -q y; then echo yes; fi", "yes\n"],
  ["yes | head -1 && echo done", "y\ndone\n"],
  ["yes 2>&1 | head -1", "y\n"],
  ["cat <(yes | head -2)", "y\ny\n"],
  [
    "timeout 0.1 bash -c 'while :; do :; done'; echo $?; timeout 9 bash -c 'exit 3'; echo $?",
    "124\n3\n",
  ],
  ["(sleep 0.5; echo late) | timeout 0.1 cat; echo $?", "124\n"],
  [
    "timeout -s KILL 0.1 sleep 5 | cat; echo ${PIPESTATUS[0]}; timeout --preserve-status 0.1 sleep 5; echo $?",
    "137\n143\n",
  ],
  ["for i in 1 2 3; do (echo $i); echo $i >> seen; done | head -1; wc -l < seen", "1\n3\n"],
])("gives %s the status that bash gives it", async (command, expected) => {
  expect(await setUp().run(command)).toMatchObject({ stdout: expected, stderr: "" });
});

it.each([
  // A stage's side effects happen, up to the write that fails.
  ["for i in 1 2 3; do echo $i; echo $i >> made; done | head -1; head -1 made", "1\n1\n"],
  ["{ echo a; sleep 0.02; touch made; } | head -1; ls made", "a\nmade\n"],
  [
    "while :; do i=$((i + 1)); echo $i > last; echo $i; done | head -1; [ $(cat last) -lt 5000 ] && echo soon",
    "1\nsoon\n",
  ],
  // Each stage is a shell of its own.
  ["x=1; { x=2; echo $x; } | { read y; x=$y; echo $x; }; echo $x", "2\n1\n"],
  ["cd /; { cd /code; pwd; } | cat; pwd", "/code\n/\n"],
  ["f() { echo one; }; { f() { echo other; }; f; } | cat; f", "other\none\n"],
  ["{ trap 'echo bye' EXIT; echo hello; } | cat; echo end", "hello\nbye\nend\n"],
  ["set -e; { false; echo not; } | cat; echo on", "on\n"],
  ["for i in 1 2; do { echo $i; break; } 2> /dev/null | cat; done", "1\n2\n"],
  // And reads what the one before prints, as far as it wants.
  ["seq 5 | { read a; (read b; echo $b); read c; echo $a $c; }", "2\n1 3\n"],
  ["seq 3 | { read a; cat; }", "2\n3\n"],
  ["seq 3 | { read a; x=$(cat); echo $x; }", "2 3\n"],
  ["seq 3 | { while read a; do echo $a; done < list; cat; }", "one\ntwo\nthree\n1\n2\n3\n"],
  ["seq 3 | while read a; do echo $a; done | sort -r", "3\n2\n1\n"],
  ["seq 4 | { read -n 1 a; read b; mapfile -t c; echo $a ${c[1]}; }", "1 3\n"],
  ["printf 'a:b:c' | (cat) | { read -d : a; read -d : b; read c; echo $a $b $c; }", "a b c\n"],
  ["printf 'a\\\\\\nb\\nc\\n' | (cat) | { read a; read b; echo $a $b; }", "ab c\n"],
  ["for i in a b; do echo $i; done | diff - <(echo a)", "2d1\n< b\n"],
  ["for i in a b; do cat <(echo $i); done | cat <(echo first) -", "first\na\nb\n"],
  ["seq 3 | bash -c 'read a; echo got $a; cat'", "got 1\n2\n3\n"],
  ["seq 3 | xargs -n1 echo n", "n 1\nn 2\nn 3\n"],
  ["seq 3 | tee a b; cat a b", "1\n2\n3\n1\n2\n3\n1\n2\n3\n"],
  ["(printf 'a\\nb') | sed '$s/b/c/'", "a\nc"],
  ["(printf 'ä\\nö\\n'; printf 'ü') | tr -d '\\n' | wc -c", "6\n"],
  ["(seq 9) | sed -n '$p;$!N;/3/P'", "3\n9\n"],
  ["(seq 3) | awk '{ s += $1 } END { print s, NR, FNR }'", "6 3 3\n"],
  ["(seq 4) | awk 'NR == 1 { getline; print }'", "2\n"],
  ["(seq 30) | grep -c 1; (seq 30) | grep -n -A1 12", "12\n12:12\n13-13\n"],
  ["{ echo out; echo err >&2; } |& sort", "err\nout\n"],
])("runs the stages of %s as bash does", async (command, expected) => {
  expect(await setUp().run(command)).toMatchObject({ stdout: expected, stderr: "" });
});

/** The first output, and how long before the end it came. */
async function firstOf(command: string): Promise<{ first: string; early: number; all: string }> {
  const chunks: { text: string; at: number }[] = [];
  const onOutput = ({ text }: { text: string }): void =>
    void chunks.push({ text, at: performance.now() });
  await setUp().run(command, { onOutput });
  const [first] = chunks;
  return {
    first: first?.text ?? "",
    early: performance.now() - (first?.at ?? Number.POSITIVE_INFINITY),
    all: chunks.map(({ text }) => text).join(""),
  };
}

it("streams output as it is printed", async () => {
  const commands = [
    "echo a; sleep 1; echo b",
    "for i in a b; do echo $i; sleep 1; done",
    "f() { echo a; sleep 1; echo b; }; f",
    "f() { echo a; sleep 1; echo b; }; true && f || echo c",
    "for i in a b; do echo $i; sleep 1; done | cat",
    "for i in a b; do echo $i; sleep 1; done | while read x; do echo $x; done",
    "for i in a b; do echo $i; sleep 1; done | tee file",
    "for i in a b; do echo $i; sleep 1; done | grep .",
    "for i in a b; do echo $i; sleep 1; done | sed s/x/y/",
    "for i in a b; do echo $i; sleep 1; done | awk '{ print }'",
    "printf 'a\\nb\\n' | while read x; do echo $x; sleep 1; done",
    "(echo a; sleep 1; echo b)",
    "eval 'echo a; sleep 1; echo b'",
    "bash slow.sh",
    "source slow.sh | cat",
    "timeout 30 bash slow.sh",
  ];
  // Beside each other, since they sleep.
  const outcomes = await Promise.all(commands.map(firstOf));
  const late = commands.filter((_command, at) => (outcomes[at]?.early ?? 0) < 60);
  expect(late).toEqual([]);
  for (const { first, all } of outcomes) expect([first, all]).toEqual(["a\n", "a\nb\n"]);
});

it("reports streamed output once, and captured output not at all", async () => {
  const { all } = await firstOf(
    `echo a; x=$(echo no; f() { echo no; }; f); { echo no; } > file; (echo b) 2> /dev/null
     for i in c; do echo $i; [[ $(echo no) ]] && echo d; done; trap 'echo f' EXIT; echo e`,
  );
  expect(all).toBe("a\nb\nc\nd\ne\nf\n");
});

it("limits the bytes in a pipe to the output limit", async () => {
  const shell = new VirtualShell({
    fs: new MemoryFileSystem({ files: { "/code/": "" } }),
    limits: { outputBytes: 100_000 },
  });
  for (const command of ["yes | sort", "yes | cat", "x=$(yes | cat)"]) {
    const { exitCode, stdout } = await shell.exec(command, { cwd: "/code" });
    expect([command, exitCode]).toEqual([command, 126]);
    expect(stdout.length).toBeLessThanOrEqual(100_000);
  }
  const { stdout } = await shell.exec("yes | head -n 200000 | tail -n 1", { cwd: "/code" });
  expect(stdout).toBe("");
  const short = await shell.exec("seq 1 100000 | sed s/x/y/ | grep -c 9", { cwd: "/code" });
  expect(short.stdout).toBe("40951\n");
});

it("decodes megabytes of Base64, and no more than is valid", async () => {
  const { run } = setUp();
  const whole = "head -c 8000000 /dev/zero | base64 | base64 -d | wc -c";
  expect(await run(whole)).toMatchObject({ stdout: "8000000\n", exitCode: 0 });
  const cut =
    "printf 'YWJj*YWJj' | base64 -d; echo $?; printf 'YWJjZA=' | base64 -d; printf YWJjZGU | base64 -d";
  expect(await run(cut)).toMatchObject({ stdout: "abc1\nabcdabcde" });
});
