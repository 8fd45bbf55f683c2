import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { afterEach, expect, it } from "vitest";

const natural = Object.getOwnPropertyNames(Object.prototype).sort();

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(natural);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

async function run(script: string) {
  const fs = new MemoryFileSystem({
    files: { "/code/": "", "/outside/kept": "kept\n", "/tmp/": "" },
  });
  const result = await new VirtualShell({ fs }).exec(script, { cwd: "/code" });
  const outside: Record<string, string> = {};
  for (const { name } of await fs.readdir("/outside")) {
    outside[name] = new TextDecoder().decode(await fs.readFile(`/outside/${name}`));
  }
  return { ...result, outside };
}

const untouched = { kept: "kept\n" };

it.each([":(){ :|:& };:", "f() { f | f | f || f; }; f; echo next"])(
  "ends exponential growth: %s",
  async (bomb) => {
    const shell = new VirtualShell({ fs: new MemoryFileSystem() });
    const { exitCode, stdout, stderr } = await shell.exec(bomb, { cwd: "/" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 126, stdout: "" });
    expect(stderr).toContain("run at once");
    expect(await shell.exec("seq 3 | { cat; } | tail -1", { cwd: "/" })).toMatchObject({
      stdout: "3\n",
    });
  },
);

it.each([
  [
    "a link of the archive itself",
    `mkdir -p a; ln -s /outside a/way; tar cf one.tar a; rm -r a
     mkdir -p a/way; echo bad > a/way/kept; tar cf two.tar a; rm -r a
     tar xf one.tar; tar xf two.tar`,
  ],
  [
    "a link that is there already",
    `mkdir -p a/way; echo bad > a/way/kept; tar cf two.tar a; rm -r a
     mkdir a; ln -s /outside a/way; tar xf two.tar`,
  ],
  [
    "a link in the place of a file",
    `echo bad > kept; tar cf one.tar kept; rm kept; ln -s /outside/kept kept; tar xf one.tar; cat /outside/kept`,
  ],
  [
    "a name with ..",
    `mkdir d; echo bad > kept; mkdir -p x/outside; echo bad > x/outside/kept; cd x/outside
     tar cf /code/up.tar ../outside/kept; cd /code; mkdir -p /code/d/e; tar xf up.tar -C /code/d/e
     printf 'bad' | sed s/x/y/ > /dev/null`,
  ],
])("unpacks no tar through %s", async (_what, script) => {
  expect((await run(script)).outside).toEqual(untouched);
});

it("unpacks no zip through a link or above its directory", async () => {
  const { outside } = await run(
    `mkdir -p a/way; echo bad > a/way/kept; zip -qr one.zip a; rm -r a
     mkdir a; ln -s /outside a/way; unzip -oq one.zip
     mkdir -p deep/er; cd deep/er; echo bad > ../../evil; zip -q slip.zip ../../evil; rm ../../evil
     mkdir -p /outside/in; mv slip.zip /tmp; cd /code; unzip -oq /tmp/slip.zip; rmdir /outside/in; true`,
  );
  expect(outside).toEqual(untouched);
});

it.each(["../outside/kept", "a/../../outside/kept", "/outside/kept"])(
  "patches no file at %s",
  async (name) => {
    const { outside, exitCode } = await run(
      `cat > change <<'END'
--- ${name}
+++ ${name}
@@ -1 +1 @@
-kept
+bad
END
patch -p0 -f < change`,
    );
    expect(outside).toEqual(untouched);
    expect(exitCode).not.toBe(0);
  },
);

it("patches no file outside through a link, but one inside", async () => {
  const { outside, stdout } = await run(
    `ln -s /outside way; ln -s /outside/new made; mkdir real; echo kept > real/f; ln -s real in
    for name in way/kept made in/f; do
      printf -- '--- %s\\n+++ %s\\n@@ -1 +1 @@\\n-kept\\n+changed\\n' $name $name | patch -s -p0 -f
    done; cat real/f`,
  );
  expect(outside).toEqual(untouched);
  expect(stdout).toContain("changed\n");
});

it.each([
  ["a file", "echo polluted > __proto__; cat __proto__; ls", "polluted\n__proto__\n"],
  [
    "variables",
    '__proto__=1 constructor=2; declare -A m; m[__proto__]=3; m[constructor]=4; echo "$__proto__ $constructor ${m[__proto__]} ${m[constructor]}"',
    "1 2 3 4\n",
  ],
  ["an exported variable", "export __proto__=polluted; env | grep -c '^__proto__='", "1\n"],
  [
    "a function",
    "toString() { echo mine; }; toString; type hasOwnProperty > /dev/null 2>&1 || echo none",
    "mine\nnone\n",
  ],
  [
    "awk",
    `printf '__proto__ 1\\nconstructor 2\\n__proto__ 3\\n' | awk '{ n[$1] += $2 } END { print n["__proto__"], n["constructor"], ("toString" in n) }'`,
    "4 2 0\n",
  ],
  ["names that are read", "read __proto__ <<< x; echo $__proto__", "x\n"],
])("has no special names: %s", async (_what, script, expected) => {
  expect((await run(script)).stdout).toBe(expected);
});

it.each([
  `awk 'BEGIN { s = "x"; while (1) s = s s }'`,
  `awk 'BEGIN { s = sprintf("%1000d", 1); for (t = s; ; t = s) gsub(/ /, t, s) }'`,
  `awk 'BEGIN { printf "%999999999d", 1 }'`,
  `awk 'BEGIN { s = sprintf("%999999d", 1); while (1) print s > "f" }'`,
  `awk 'BEGIN { printf "%.*f", 999999999, 1 }'`,
])("ends oversized texts: %s", async (script) => {
  const { exitCode, stderr } = await run(script);
  expect(exitCode).toBe(126);
  expect(stderr).toMatch(/^awk: (?:(?:a text|what is printed) has more than|a width or precision)/);
});

it("keeps at most the output limit of a program's output", async () => {
  const { exitCode, stderr } = await run(
    `awk 'BEGIN { s = sprintf("%999999d", 1); while (1) print s }'`,
  );
  expect(exitCode).toBe(126);
  expect(stderr).toContain("total output size exceeded");
});

it.each([
  `echo '{"__proto__":{"polluted":1},"a":2}' | jq -c .a`,
  `jq -n '{} | .["__proto__"]["polluted"] = 1' ; jq -n '[["__proto__","polluted"],1] as [$p,$v] | {} | setpath($p; $v)'`,
  `echo '{"a":{"__proto__":{"polluted":1}}}' | jq -c '. * {"constructor":{"prototype":{"polluted":1}}}'`,
  `echo '[{"key":"__proto__","value":{"polluted":1}}]' | jq -c from_entries`,
])("pollutes no prototype with %s", async (script) => {
  await run(script);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

it("isolates fifty concurrent shells", async () => {
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  const shell = new VirtualShell({ fs });
  const script = (at: number): string => `n=${at}; export NAME=shell$n; mkdir -p d$n; cd d$n
    declare -A seen; f() { local n=inner; seen[$1]=$n; echo "$1 $NAME"; }; alias own=$n; set -o pipefail
    trap "echo bye $n" EXIT
    for i in 1 2; do f $i; sleep 0.01; done | while read a b; do echo "$a $b" >> log; done
    yes $n | awk -v n=$n '{ c[$1]++ } NR == 9 { print c[n]; exit }' | cat; echo "\${PIPESTATUS[@]}"
    jq -c --arg n $n '. + {n: $n}' <<< "{\\"a\\": $n}"; sed "s/shell/s/" log | tail -1; echo "$n \${#seen[@]} \${PWD##*/}"; exit $((n % 7))`;
  const ends = await Promise.all(
    Array.from({ length: 50 }, (_, at) => shell.exec(script(at), { cwd: "/code" })),
  );
  ends.forEach(({ stdout, stderr, exitCode, cwd, env }, at) => {
    expect([stdout, stderr]).toEqual([
      `9\n141 0 0\n{"a":${at},"n":"${at}"}\n2 s${at}\n${at} 0 d${at}\nbye ${at}\n`,
      "",
    ]);
    expect([exitCode, cwd, env?.["NAME"]]).toEqual([at % 7, `/code/d${at}`, `shell${at}`]);
  });
});

it("is not affected when fifty others are aborted", async () => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem({ files: { "/code/": "" } }) });
  const controller = new AbortController();
  const { signal } = controller;
  const ended = Array.from({ length: 50 }, () =>
    shell.exec("yes | while read x; do echo $x; done", { cwd: "/code", signal }),
  );
  const survivor = shell.exec("for i in 1 2 3; do sleep 0.02; echo $i; done | sort -r", {
    cwd: "/code",
  });
  setTimeout(() => controller.abort(), 30);
  for (const { exitCode } of await Promise.all(ended)) expect(exitCode).toBe(130);
  expect((await survivor).stdout).toBe("3\n2\n1\n");
});
