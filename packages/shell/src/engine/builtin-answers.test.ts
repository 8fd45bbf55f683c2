import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../virtual-shell.ts";

/** Scripts of the shell's own commands, and what bash 5.2 prints for them, with the status. */
const ANSWERS: readonly (readonly [script: string, printed: string])[] = [
  // The mask of new files: as numbers and as rights, in shells below, and with all that creates files.
  [
    'umask 027; umask -S; umask -p; umask -pS; umask u+w,g=w; umask; umask 1777; umask; umask -S 7022; bash -c "umask; umask 0"; x=$(umask 0; umask); echo $x; (umask 7); umask',
    "u=rwx,g=rx,o=\numask 0027\numask -S u=rwx,g=rx,o=\n0057\n0777\nu=rwx,g=rx,o=rx\n0022\n0000\n0022\n0",
  ],
  [
    'umask 0124; for m in 8 12345 0o22 "" u ug+r, u+r,,g=r a=X +s u+r-w b=r; do umask "$m" 2> /dev/null || echo -n "$? "; umask; done; umask -r 2> /dev/null; echo $?; umask =rx; umask; umask -- -; umask; umask a=; umask 22 33; umask',
    `${"1 0124\n".repeat(11)}2\n0222\n0222\n0022\n0`,
  ],
  [
    "umask 077; > a; mkdir -p d/e; cp -r d d2; echo x | tee t > /dev/null; umask 0; touch b; mkdir c; echo x >> b2; : <> rw; chmod 666 b; (umask 027; cp b b3; cp -p b b4; chmod +x b4); > m; stat -c '%a %n' a d d/e d2 d2/e t b c b2 rw b3 b4 m; umask 007; stat -c %a $(mktemp) $(mktemp -d)",
    "600 a\n700 d\n700 d/e\n700 d2\n700 d2/e\n600 t\n666 b\n777 c\n666 b2\n666 rw\n640 b3\n776 b4\n666 m\n600\n700\n0",
  ],
  [
    "> b; chmod 666 b; umask 177; echo x >> b; awk 'BEGIN { print 1 > \"w\" }'; sed -n 'w w2' b; sed -i s/x/y/ b; ln -s gone l; echo > l; stat -c %a b w w2 gone",
    "666\n600\n600\n600\n0",
  ],
];

it.each(ANSWERS)("%s", async (script, printed) => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  const { stdout, exitCode } = await shell.exec(script, { cwd: "/" });
  expect(stdout + exitCode).toBe(printed);
});
