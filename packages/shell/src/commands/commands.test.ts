import { beforeAll, describe, expect, it } from "vitest";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "../virtual-shell.ts";

const files = {
  "/w/one": "a\nb\nc\n",
  "/w/two": "a\nX\nc\nd\n",
  "/w/open": "a\nb",
  "/w/words": "foo bar\nfooo\nfo\nab\nxyz 12\n",
  "/w/tree/deep/x.txt": "1\n",
  "/w/tree/y.md": "2\n",
  "/w/other/deep/x.txt": "3\n",
  "/w/other/new": "",
};

async function run(command: string) {
  const fs = new MemoryFileSystem({ files });
  return new VirtualShell({ fs }).exec(command, { cwd: "/w" });
}

beforeAll(async () => void (await run("true")));

/** The output of bash and the GNU programs for the same files. */
const expected: Record<string, Record<string, readonly [stdout: string, exitCode?: number]>> = {
  grep: {
    "grep 'o\\+$' words": ["fooo\nfo\n"],
    "grep 'fo\\?o' words": ["foo bar\nfooo\nfo\n"],
    "grep -c 'a+\\|+' words": ["0\n", 1],
  },
  xargs: {
    "echo a b c | xargs -n1 echo": ["a\nb\nc\n"],
    "printf 'a b\\nc\\n' | xargs -I{} echo '<{}>'": ["<a b>\n<c>\n"],
    "printf 'a\\0b\\0' | xargs -0n1 echo -": ["- a\n- b\n"],
    "printf 'a b\\nc\\n' | xargs -d'\\n' -n1 echo": ["a b\nc\n"],
    "echo 1 2 | xargs -P2 -n1 echo n -n": ["n -n 1\nn -n 2\n"],
    "xargs -r echo no < /dev/null": [""],
    "xargs -Z": ["", 1],
  },
  diff: {
    "diff one two": ["2c2\n< b\n---\n> X\n3a4\n> d\n", 1],
    "diff two one": ["2c2\n< X\n---\n> b\n4d3\n< d\n", 1],
    "diff one one": [""],
    "diff -q one two; diff -s one one": [
      "Files one and two differ\nFiles one and one are identical\n",
    ],
    "diff -u one two | tail -n +3": ["@@ -1,3 +1,4 @@\n a\n-b\n+X\n c\n+d\n"],
    "diff -U0 one two | tail -n +3": ["@@ -2 +2 @@\n-b\n+X\n@@ -3,0 +4 @@\n+d\n"],
    "diff one open": ["2,3c2\n< b\n< c\n---\n> b\n\\ No newline at end of file\n", 1],
    "diff -r tree other": [
      "diff -r tree/deep/x.txt other/deep/x.txt\n1c1\n< 1\n---\n> 3\nOnly in other: new\nOnly in tree: y.md\n",
      1,
    ],
    "diff -w <(echo 'a  b') <(echo ab)": [""],
    "echo a | diff - <(echo b)": ["1c1\n< a\n---\n> b\n", 1],
    "diff one missing": ["", 2],
  },
  "lines by the hundred thousand": {
    "seq 200000 > long; diff -u /dev/null long | patch -s copy; cmp long copy; wc -l < copy": [
      "200000\n",
    ],
    "seq 200000 > long; echo 77 | grep -xFf long": ["77\n"],
    "seq 200000 > long; echo 77 | rg -xFf long; tr '\\n' ' ' < long | fmt | tail -n 1": [
      "77\n199991 199992 199993 199994 199995 199996 199997 199998 199999 200000\n",
    ],
    "seq 200000 > long; tar cX long one | tar t": ["one\n"],
  },
  rg: {
    "rg -n fo --sort path": ["words:1:foo bar\nwords:2:fooo\nwords:3:fo\n"],
    "rg -c X; rg -l 1 tree": ["two:1\ntree/deep/x.txt\n"],
    "rg --files -g '*.md'; rg --files -t txt tree": ["tree/y.md\ntree/deep/x.txt\n"],
    "echo '*.txt' > .gitignore; rg -l '[13]' tree other; rg -uu --files -g '!tree'": [
      ".gitignore\none\nopen\nother/deep/x.txt\nother/new\ntwo\nwords\n",
    ],
    "rg -o 'fo+' words | rg -v fooo; rg -r '<$1>' '(a)b' words": ["foo\nfo\n<a>\n"],
    "rg -C1 X two; rg --column -S X two": ["a\nX\nc\n2:1:X\n"],
    "rg nothing": ["", 1],
    "rg -l -c fo words; rg -c -l fo words; rg --json -l fo words": ["3\nwords\nwords\n"],
    "rg --json fo words | jq -c '.data | [.line_number, .submatches[0].end]' | paste -sd' '": [
      "[null,null] [1,2] [2,2] [3,2] [null,null] [null,null]\n",
    ],
    "printf '\\357\\273\\277X\\377\\n' > bom; rg '^X' bom | od -An -tx1": [" 58 ff 0a\n"],
    "echo foo | rg -r- 'o*'; echo foo | rg -m0 foo": ["-f-\n", 1],
    "rg -g '*.none' X": ["", 2],
    "rg '('": ["", 2],
  },
  tree: {
    "tree tree": ["tree\n├── deep\n│\u00a0\u00a0 └── x.txt\n└── y.md\n\n2 directories, 2 files\n"],
    "tree -L 1 -F --noreport tree": ["tree/\n├── deep/\n└── y.md\n"],
  },
  "html-to-markdown": {
    "echo '<h1>T</h1><ul><li>a<li><b>b</b></ul><script>x</script>' | html-to-markdown": [
      "# T\n\n- a\n- **b**\n",
    ],
    "echo '<h2>T</h2><ul><li>a</ul>' | html-to-markdown -b '*' --heading-style=setext": [
      "T\n-\n\n* a\n",
    ],
  },
  help: {
    "rev --help": ["Usage: rev [FILE]...\nReverse the characters of lines.\n"],
    "help tac | head -1; help nothing": ["Usage: tac [-br] [-s SEPARATOR] [FILE]...\n", 1],
    "help | grep -cx 'rg\\|cd'": ["2\n"],
  },
  nl: {
    "nl -ba two | head -2; nl -nrz -w3 -s: open": ["     1\ta\n     2\tX\n001:a\n002:b\n"],
    "printf 'a\\n\\n \\n' | nl": ["     1\ta\n       \n     2\t \n"],
    "printf 'a\\n\\\\:\\\\:\\nb\\n' | nl - one | head -4": ["     1\ta\n\n     1\tb\n     2\ta\n"],
    "nl -v -1 -i 2 -b p^fo words": [
      "    -1\tfoo bar\n     1\tfooo\n     3\tfo\n       ab\n       xyz 12\n",
    ],
    "nl -b x one": ["", 1],
    "nl nothere open": ["     1\ta\n     2\tb\n", 1],
  },
  uniq: {
    "printf 'a\\na\\nb' | uniq; printf 'a\\na\\nb' | uniq -c": ["a\nb\n      2 a\n      1 b\n"],
    "printf 'a\\na\\nb' | uniq -d; printf 'a\\na\\nb' | uniq -u": ["a\nb\n"],
    "printf 'a\\na\\nb' | uniq -D; printf 'a\\na\\nb' | uniq -du": ["a\na\n"],
    "uniq one out; cat out": ["a\nb\nc\n"],
  },
  cmp: {
    "cmp one two": ["one two differ: byte 3, line 2\n", 1],
    "cmp -s one one && echo same": ["same\n"],
    "cmp one open 2>&1": ["cmp: EOF on open after byte 3, in line 2\n", 1],
    "cmp -l one two 2>/dev/null": ["3 142 130\n", 1],
  },
  ls: {
    ls: ["one\nopen\nother\ntree\ntwo\nwords\n"],
    "ls two one": ["one\ntwo\n"],
    "ls tree one": ["one\n\ntree:\ndeep\ny.md\n"],
    "ls -R tree": ["tree:\ndeep\ny.md\n\ntree/deep:\nx.txt\n"],
    "ls -dF tree one": ["one\ntree/\n"],
    "chmod 750 one; ls -l one | cut -c1-10": ["-rwxr-x---\n"],
    "touch -d 2020-01-01 two; ls -t | tail -1; ls -rt | head -1": ["two\ntwo\n"],
    "ln -s one link; ls -l link | sed 's/.* link/link/'; ls -F link": ["link -> one\nlink@\n"],
    "touch .hidden; ls -A tree .hidden; ls -a tree | head -2": [
      ".hidden\n\ntree:\ndeep\ny.md\n.\n..\n",
    ],
    "ls missing one": ["one\n", 2],
    "truncate_me=x; head -c 1500 /dev/urandom > big; ls -lh big | awk '{print $5}'": ["1.5K\n"],
  },
  cat: {
    "ln -s open link; cat < open 2>&1 >> open; cat /dev/stdin < open 2>&1 >> link; cat link 2>&1 1<> open; cat open":
      [
        "cat: -: input file is output file\ncat: /dev/stdin: input file is output file\ncat: link: input file is output file\na\nb",
      ],
    "cat < open >> open; cat one open 2>&1 > open": ["cat: open: input file is output file\n", 1],
    ": > new; cat new < new >> new; { cat > /dev/null; cat; } < open >> open; { read; cat; } < one >> one; cat one":
      ["a\nb\nc\n"],
  },
  od: {
    "od -An -tx1 one": [" 61 0a 62 0a 63 0a\n"],
    "od -c one": ["0000000   a  \\n   b  \\n   c  \\n\n0000006\n"],
    "od one": ["0000000 005141 005142 005143\n0000006\n"],
    "printf '\\0\\377' | od -An -td1 -N1": ["    0\n"],
    "seq 20 | od -Ax -tx1 -j 16 -N 4": ["000010 39 0a 31 30\n000014\n"],
  },
  paths: {
    "realpath tree/../one; realpath --relative-to=tree one": ["/w/one\n../one\n"],
    "ln -s tree/deep d; realpath d/x.txt; realpath -s d/x.txt": [
      "/w/tree/deep/x.txt\n/w/d/x.txt\n",
    ],
    "realpath missing; realpath -e missing; realpath -m a/b": ["/w/missing\n/w/a/b\n"],
    't=$(mktemp); echo x > "$t"; cat "$t"; dirname "$t"': ["x\n/tmp\n"],
    'd=$(mktemp -d -p .); touch "$d/f"; ls "$d"': ["f\n"],
    "mktemp --suffix=.js name.XXXXXX | sed 's/[.][a-z0-9]*[.]/.?./'": ["name.?.js\n"],
    "mktemp XX": ["", 1],
  },
  gzip: {
    "gzip -k one; ls one*; zcat one.gz": ["one\none.gz\na\nb\nc\n"],
    "gzip one && gunzip one.gz && cat one": ["a\nb\nc\n"],
    "gzip -c < two | gzip -dc": ["a\nX\nc\nd\n"],
    "echo plain | gunzip": ["", 1],
  },
  archives: {
    "tar czf a.tgz tree && tar tzf a.tgz": ["tree/\ntree/deep/\ntree/deep/x.txt\ntree/y.md\n"],
    "mkdir in; cd in; touch ../f; tar cf ../a.tar ../f; cd ..; tar xf a.tar -C in; ls in": [""],
    "ln -s /w/other out; mkdir d; cp -d out d/; tar cf a.tar -C d out; rm -r d; mkdir d; tar xf a.tar -C d; echo z > out.txt; mkdir e; mkdir e/out; echo z > e/out/new2; tar cf b.tar -C e out/new2; tar xf b.tar -C d; ls other":
      ["deep\nnew\n"],
    "zip -q a.zip one && rm one && unzip -q a.zip && cat one": ["a\nb\nc\n"],
    "printf -- '--- a/../x\\n+++ b/../x\\n@@ -0,0 +1 @@\\n+y\\n' | patch -p1; ls /x": ["", 2],
  },
  patterns: {
    "grep -oP '(?<=o)b\\w+' words; grep -E '(.)\\1' words": ["foo bar\nfooo\n"],
    "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! | grep -E '(a+)+$'": ["", 1],
    "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! | grep -P '(?=a)(a+)+$'": ["", 2],
    "sed -E 's/(\\w+) (\\w+)/\\U\\2\\E \\1/' words | head -1": ["BAR foo\n"],
    "sed ':a;b a' one": ["", 1],
  },
  others: {
    "uname; uname -sm": ["Linux\nLinux x86_64\n"],
    "nproc; yes | head -2; yes no | head -1": ["1\ny\ny\nno\n"],
    "seq 9 | shuf | sort -n | paste -sd,": ["1,2,3,4,5,6,7,8,9\n"],
    "shuf -i 1-5 -n 2 | wc -l; shuf -e a b | sort": ["2\na\nb\n"],
    "seq 3 | paste -sd+; seq 4 | paste - -": ["1+2+3\n1\t2\n3\t4\n"],
    "env A=1 sh -c 'echo $A'; B=2 bash -c 'sh -c \"echo \\$B\"'": ["1\n2\n"],
    "bash -c 'shopt -s nullglob; readonly X=1'; X=2; echo *.none $X": ["*.none 2\n"],
  },
};

for (const [program, scripts] of Object.entries(expected)) {
  describe(program, () => {
    for (const [script, [stdout, exitCode = 0]] of Object.entries(scripts)) {
      it(script, async () => {
        const result = await run(script);
        expect([result.stdout, result.exitCode], result.stderr).toEqual([stdout, exitCode]);
      });
    }
  });
}
