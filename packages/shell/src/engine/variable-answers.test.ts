import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../virtual-shell.ts";

/** Scripts about variables, expansions and patterns, and what bash 5.2 prints for them, with the status. */
const ANSWERS: readonly (readonly [script: string, printed: string])[] = [
  // Files that patterns leave out.
  [
    "touch a.txt b.md .h; mkdir d; touch d/a.txt; GLOBIGNORE='*.txt'; echo * */*; echo .*; GLOBIGNORE='*.txt:.h:d/*'; echo * d/*; GLOBIGNORE=; echo *.txt; unset GLOBIGNORE; echo *",
    ".h b.md d d/a.txt\n.h\nb.md d d/*\na.txt\na.txt b.md d\n0",
  ],
  [
    "touch a.o b.h 'x:y'; GLOBIGNORE='[[:alpha:]].o:[:]*'; echo *; GLOBIGNORE='x\\:y'; echo *; GLOBIGNORE=*; echo *; shopt -s nullglob extglob; GLOBIGNORE='@(a.o|x:*)'; echo *",
    "b.h x:y\na.o b.h\n*\nb.h\n0",
  ],
  ["shopt -u globskipdots; touch .e; echo .*; GLOBIGNORE=.:..; echo .*", ". .. .e\n.e\n0"],
  [
    "shopt -s globstar; mkdir -p a/b; touch a/f a/b/f; echo **/**/f; echo a/**/**/ none/**",
    "a/b/f a/f\na/ a/b/ none/**\n0",
  ],
  // Operations on parameters, and conditions.
  [
    "echo \"${x:-'{}'}\" \"${x:-'a}b'}\" \"${x-'}'}\"; x=1; echo \"${x:-'}'}\" '}'",
    "'{}' 'a}b' '}'\n1 }\n0",
  ],
  [
    "x='/_/'; echo ${x////c} ${x//'/'/c} ${x///} ${x//\\//-} ${x////} ${x///b}; p=/a/b; echo ${p////\\\\/} \"${p////:}\" ${p/\\//} ${p/#\\//} ${p//\\//}",
    "c_c c_c _ -_- _ /_/\n\\/a\\/b :a:b a/b a/b ab\n0",
  ],
  [
    '[[ (foo =~ foo) ]] && echo y; if [[ ! (" a " =~ " -s " || " b " =~ " -t ") ]]; then echo one; fi; [[ a =~ (a|b) && (x =~ ^(x)$) ]] && echo ${BASH_REMATCH[1]}; [[ (ab =~ a(b)) ]] && echo ${BASH_REMATCH[1]}',
    "y\none\nx\nb\n0",
  ],
  [
    "[[ '~' =~ ^[x~] ]]; echo $?; [[ 'a&' =~ a[\\&x] ]]; echo $?; [[ b =~ [a~~b] ]]; echo $?",
    "0\n0\n0\n0",
  ],
];

it.each(ANSWERS)("%s", async (script, printed) => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  const { stdout, exitCode } = await shell.exec(script, { cwd: "/" });
  expect(stdout + exitCode).toBe(printed);
});
