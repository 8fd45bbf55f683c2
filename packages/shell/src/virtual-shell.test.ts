import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import type { VirtualShellOptions } from "./options.ts";
import type { ShellCommand } from "./command.ts";
import { createShellSession } from "./session.ts";
import { VirtualShell } from "./virtual-shell.ts";
import { turnClock } from "../../../test/support/time/own-time.ts";

function setUp(options: Partial<VirtualShellOptions> = {}) {
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  const shell = new VirtualShell({ fs, ...options });
  return {
    fs,
    shell,
    run: (command: string, extra = {}) => shell.exec(command, { cwd: "/code", ...extra }),
  };
}

// The interpreter is a large module, which test runners load slowly.
beforeAll(async () => void (await setUp().run("true")));

const names = async (fs: MemoryFileSystem, path: string) =>
  (await fs.readdir(path)).map(({ name }) => name);

it("creates no files beyond those of the script", async () => {
  const { fs, run } = setUp();
  await run("echo x | cat > /dev/null; cat <(ls /usr/bin) > /dev/null; which grep; type cd; cd /");
  expect(await names(fs, "/")).toEqual(["code"]);
});

it("creates the home directory and /tmp on first use", async () => {
  const { fs, run } = setUp({ home: "/users/me" });
  expect((await run("cd; pwd; echo $HOME; echo x > /tmp/y; cat /tmp/y")).stdout).toBe(
    "/users/me\n/users/me\nx\n",
  );
  expect(await names(fs, "/")).toEqual(["code", "tmp", "users"]);
  await run("rm -r /tmp");
  expect((await run("echo again > /tmp/y; cat /tmp/y")).stdout).toBe("again\n");
});

it("lists only the user's files, and still finds commands by path", async () => {
  const { run } = setUp();
  expect((await run("ls /; find / -type d")).stdout).toBe("code\n/\n/code\n");
  expect(
    (await run("/usr/bin/printf '%s\\n' a; which sed; [ -x /bin/ls ] && echo yes")).stdout,
  ).toBe("a\n/usr/bin/sed\nyes\n");
});

it("never runs a file in place of a built-in command", async () => {
  const { fs, run } = setUp();
  await fs.mkdir("/usr/bin", { recursive: true });
  await fs.writeFile("/usr/bin/echo", "#!/bin/bash\nexit 99\n");
  await fs.chmod("/usr/bin/echo", 0o755);
  expect(await run("echo ok; grep -c o <<< foo")).toMatchObject({ stdout: "ok\n1\n", exitCode: 0 });
  expect(await run("echo x > /usr/bin/mine")).toMatchObject({ exitCode: 1 });
});

it("provides the usual devices", async () => {
  const { run } = setUp();
  expect((await run("head -c 9 /dev/urandom | wc -c")).stdout.trim()).toBe("9");
  expect(await run("echo a | tee /dev/stderr")).toMatchObject({ stdout: "a\n", stderr: "a\n" });
  expect(await run("echo lost > /dev/null; cat /dev/null")).toMatchObject({ stdout: "" });
});

it("ends a stage whose reader has closed", async () => {
  const { run } = setUp({ limits: { loopIterations: 1_000 } });
  expect(await run("while :; do echo x; done | head -2")).toMatchObject({ stdout: "x\nx\n" });
  expect(
    await run('f() { while :; do echo a; done; }; f | tr a b | head -1; echo "${PIPESTATUS[@]}"'),
  ).toMatchObject({ stdout: "b\n141 141 0\n", stderr: "" });
  expect(await run("while :; do echo x; done | wc -l")).toMatchObject({ exitCode: 126 });
});

/** A program that loads as slowly as a module over a slow connection, then reads two bytes and ends. */
const late: ShellCommand = {
  name: "late",
  async run(_args, { nextInput }) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    return { stdout: ((await nextInput?.()) ?? new Uint8Array()).slice(0, 2) };
  },
};

/** Reads once, and ends after others had their turns. */
const thoughtful: ShellCommand = {
  name: "thoughtful",
  async run(_args, { nextInput }) {
    const text = (await nextInput?.()) ?? new Uint8Array();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { stdout: text.slice(0, 2) };
  },
};

it("pauses a stage while its reader is busy, instead of running it to its limit", async () => {
  const { run } = setUp({ limits: { loopIterations: 1_000 }, customCommands: [thoughtful] });
  for (const reader of ["thoughtful", "tr x y | thoughtful"])
    expect(
      await run(`while :; do echo x; done | ${reader}; echo "\${PIPESTATUS[0]}"`),
    ).toMatchObject({ stdout: expect.stringMatching(/^[xy]\n141\n$/), stderr: "" });
});

it("pauses a stage while the next one loads, instead of running it to its limit", async () => {
  const { run } = setUp({ limits: { loopIterations: 1_000 }, customCommands: [late] });
  for (const reader of ["late", "(true; late)", "{ late; }", "tr x y | late"])
    expect(
      await run(`while :; do echo x; done | ${reader}; echo "\${PIPESTATUS[0]}"`),
    ).toMatchObject({ stdout: expect.stringMatching(/^[xy]\n141\n$/), stderr: "" });
});

it("never deadlocks two stages that wait for each other", async () => {
  const { run } = setUp();
  const write = "(for i in {1..2000}; do echo $i; done; echo done > flag)";
  for (const reader of [
    "(until [ -e flag ]; do sleep 0.001; done; wc -l)",
    "{ until test -e flag; do sleep 0.001; done < /dev/null; wc -l; }",
    "(read first; until [ -e flag ]; do sleep 0.001; done; wc -l)",
  ]) {
    const { stdout } = await run(`rm -f flag; ${write} | ${reader}`);
    expect(stdout.trim()).toMatch(/^(?:2000|1999)$/);
  }
});

it("runs the EXIT trap, however the script ends", async () => {
  const { run } = setUp();
  expect(await run("trap 'echo bye' EXIT; exit 3")).toMatchObject({ stdout: "bye\n", exitCode: 3 });
  expect(await run("set -e; trap 'echo bye $?' EXIT; false; echo no")).toMatchObject({
    stdout: "bye 1\n",
    exitCode: 1,
  });
  expect((await run("trap 'echo bye' EXIT; eval 'echo a'; (echo b); echo $(echo c)")).stdout).toBe(
    "a\nb\nc\nbye\n",
  );
});

it.each([
  "echo hi | { cat <&0; }",
  "f() { read a <&0; echo $a; }; echo hi | f",
  "echo 'cat <&0' > s.sh; echo hi | bash s.sh",
  "echo hi | (cat 0<&0 | cat)",
  "echo hi | cat /dev/stdin",
  "echo hi | { cat < /dev/stdin; }",
  "{ sed s/x/y/ /dev/stdin; } <<< hi",
  "for i in 1 2; do echo hi; done | head -1 /dev/stdin",
  "echo hi > f; echo hi | diff f /dev/stdin && cat f",
])("passes standard input by its number or name: %s", async (line) => {
  const { run } = setUp();
  expect(await run(line)).toMatchObject({ stdout: "hi\n", stderr: "", exitCode: 0 });
});

it("reads standard input by any name", async () => {
  const { run } = setUp();
  for (const line of ["cat <&0", "cat /dev/stdin", "cat < /dev/stdin", "read a <&0; echo $a"])
    expect(await run(line, { stdin: "given\n" })).toMatchObject({ stdout: "given\n" });
});

it("waits at its end for jobs, and for those that they start", async () => {
  const { run } = setUp();
  const script = "(sleep 0.05; { sleep 0.05; echo last; } & echo job) & echo now";
  expect((await run(script)).stdout).toBe("now\njob\nlast\n");
});

it("keeps changes of a subshell to itself, and the order of writes to one file", async () => {
  const { run } = setUp();
  const { stdout } = await run(
    "a=(1 2); (a[0]=9; cd /; echo ${a[@]}); echo ${a[@]} $PWD; { echo 1; echo 2 >&2; echo 3; } 2>&1",
  );
  expect(stdout).toBe("9 2\n1 2 /code\n1\n2\n3\n");
});

it("refuses hard links instead of copying", async () => {
  const { fs, run } = setUp();
  expect(await run("echo a > a; ln a b")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("use ln -s"),
  });
  expect(await names(fs, "/code")).toEqual(["a"]);
});

it.each([
  ["echo $((1 / 0)); echo same\necho $?", "1\n", "1 / 0: division by 0"],
  ["f() { echo ${!unset}; echo f; }\nf || echo same\necho $?", "1\n", "invalid indirect expansion"],
  ["readonly r=1; r=2; echo same\necho $r", "1\n", "r: readonly variable"],
  ["x=$(a[-1]=2; echo same); echo $?", "1\n", "a[-1]: bad array subscript"],
  ["{ echo $((1 / 0)); } 2> /dev/null; echo same\necho $?", "1\n", ""],
  ["((1 / 0)); echo $?; let 1/0; echo $?", "1\n1\n", "let: 1/0: division by 0"],
])(
  "ends the line of a failed expansion, and no more, as bash does: %s",
  async (script, stdout, stderr) => {
    const { run } = setUp();
    expect(await run(script)).toMatchObject({
      stdout,
      stderr: stderr === "" ? "" : expect.stringContaining(stderr),
      exitCode: 0,
    });
  },
);

it("continues after a program that can't read its files", async () => {
  const { run } = setUp();
  expect(await run("rev .; echo $?")).toMatchObject({
    stdout: "1\n",
    stderr: expect.stringMatching(/^rev: .*irectory\n$/),
  });
});

it("prints the usage of a replaced program", async () => {
  const { run } = setUp();
  for (const program of ["grep", "sort", "find", "sed"]) {
    const usage = await run(`${program} --help | head -3`);
    expect(usage).toMatchObject({ exitCode: 0, stderr: "" });
    expect(usage.stdout).toContain(`Usage: ${program}`);
  }
});

it("reports a missing program, and its replacement", async () => {
  const { run } = setUp();
  for (const program of ["python3", "npm", "curl", "docker"]) {
    expect(await run(`${program} --version`)).toMatchObject({
      exitCode: 127,
      stderr: expect.stringMatching(
        new RegExp(`^bash: line 1: ${program}: command not found \\(.+\\)\\n$`),
      ),
    });
  }
});

it("streams from loops and branches, and passes a pipeline on when it is done", async () => {
  const { run } = setUp();
  const chunks: string[] = [];
  const onOutput = ({ text }: { text: string }) => chunks.push(text);
  await run('for i in 1 2; do if [ $i ]; then echo $i; fi; done; echo "a\nb" | cat', { onOutput });
  expect(chunks).toEqual(["1\n", "2\n", "a\nb\n"]);
});

it("rejects with the error of onOutput, after the command has ended", async () => {
  const { fs, run } = setUp();
  const onOutput = () => {
    throw new RangeError("no room");
  };
  await expect(run("echo a; echo b > file; echo c", { onOutput })).rejects.toThrow("no room");
  expect(await names(fs, "/code")).toEqual(["file"]);
});

it("ends a script at its limits with its output so far", async () => {
  const { run } = setUp({ limits: { commands: 500, loopIterations: 100, outputBytes: 5_000 } });
  const loop = await run("i=0; while :; do i=$((i+1)); echo $i; done");
  expect(loop.exitCode).toBe(126);
  expect(loop.stdout.split("\n").length).toBeGreaterThan(90);
  expect(loop.stderr).toMatch(/too many iterations \(100\)\n$/);
  const commands = await run("f() { :; :; :; :; :; }; for i in {1..99}; do f; done; echo end");
  expect(commands).toMatchObject({ exitCode: 126, stdout: "" });
  const output = await run("for i in {1..90}; do printf '%0100d\\n' $i; done");
  expect(output.exitCode).toBe(126);
  expect(output.stdout.length).toBeGreaterThan(4_500);
});

it("returns soon after an abort even when the files never answer", async () => {
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  const stuck = Object.create(fs, {
    readFile: { value: () => new Promise<Uint8Array>(() => undefined) },
  }) as MemoryFileSystem;
  const shell = new VirtualShell({ fs: bound(stuck, fs) });
  await shell.exec("true", { cwd: "/code" });
  const controller = new AbortController();
  using clock = turnClock();
  const result = await shell.exec("echo before; cat file", {
    cwd: "/code",
    signal: controller.signal,
    onOutput: () => controller.abort(),
  });
  expect(result).toMatchObject({ exitCode: 130, stdout: "before\n", timedOut: false });
  expect(clock.ms()).toBeLessThan(450);
});

it("runs custom commands with the script's files, input and environment", async () => {
  const { fs, run } = setUp({
    env: { NAME: "world" },
    customCommands: [
      {
        name: "greet",
        async run(args, { fs: files, env, resolve, stdin }) {
          await files.writeFile(resolve("greeting"), `${args.join(" ")} ${env["NAME"]} ${stdin()}`);
          return { stdout: "done\n", stderr: "note\n", exitCode: 3 };
        },
      },
      {
        name: "echo",
        run: (args) => ({ stdout: `replaced ${args.join(" ")}\n` }),
      },
      {
        name: "broken",
        run: () => {
          throw new Error("out of order");
        },
      },
    ],
  });
  expect(await run("printf äö | greet hello 'my  dear'")).toMatchObject({
    exitCode: 3,
    stdout: "done\n",
    stderr: "note\n",
  });
  expect(new TextDecoder().decode(await fs.readFile("/code/greeting"))).toBe(
    "hello my  dear world äö",
  );
  expect((await run("echo a | cat")).stdout).toBe("replaced a\n");
  expect(await run("broken")).toMatchObject({ exitCode: 1, stderr: "broken: out of order\n" });
});

it("keeps directory and exported variables in a session, and nothing else", async () => {
  const { fs, shell } = setUp();
  await fs.mkdir("/code/a/b", { recursive: true });
  const session = createShellSession(shell, { cwd: "/code", env: { START: "1" } });
  await session.exec("cd a; export SEEN=yes; hidden=1; f() { :; }; (cd /; export NOT=1)");
  await session.exec("cd b; unset START; exit 3");
  const { stdout } = await session.exec('echo "$PWD $SEEN [$hidden$NOT$START]"; type f 2>&1');
  expect(stdout).toBe("/code/a/b yes []\nbash: line 1: type: f: not found\n");
  expect(session.state.cwd).toBe("/code/a/b");
  const [first, second] = [session.exec("sleep 0.05; cd /code"), session.exec("pwd")];
  await first;
  expect((await second).stdout).toBe("/code\n");
});

it("has curl only with a fetch function", async () => {
  const requests: string[] = [];
  const { run } = setUp({
    fetch: async (input) => {
      requests.push(new Request(input).url);
      return new Response("from afar\n");
    },
  });
  expect(await run("curl -s https://example.com/a")).toMatchObject({
    exitCode: 0,
    stdout: "from afar\n",
  });
  expect(requests).toEqual(["https://example.com/a"]);
});

/** Binds `methods` to `target`'s private state. */
function bound(methods: MemoryFileSystem, target: MemoryFileSystem): MemoryFileSystem {
  return new Proxy(target, {
    get(object, property) {
      const own = Object.hasOwn(methods, property);
      const value: unknown = Reflect.get(own ? methods : object, property);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}

it("leaves a command that waits for files which never come within 50 ms of an abort", async () => {
  const fs = new MemoryFileSystem({ files: { "/code/a": "x" } });
  fs.readFile = () => new Promise(() => {});
  const shell = new VirtualShell({ fs });
  await shell.exec("true", { cwd: "/code" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const controller = new AbortController();
  let exitCode: number | undefined;
  const ended = shell
    .exec("cat a; echo later > a", { cwd: "/code", signal: controller.signal })
    .then((result) => ({ exitCode } = result));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(exitCode).toBeUndefined();
  controller.abort();
  await vi.advanceTimersByTimeAsync(50);
  expect(exitCode).toBe(130);
  await ended;
});
