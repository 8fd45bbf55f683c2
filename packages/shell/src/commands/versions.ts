/** The programs that others stand for here, by the packages and versions that they are compared with. */
const PACKAGES: Readonly<Record<string, string>> = {
  "GNU coreutils) 9.1":
    "base32 base64 basename cat chmod cksum comm cp cut date dd dirname du env expand expr factor fmt fold groups head id install join ln ls md5sum mkdir mktemp mv nl nproc numfmt od paste printenv readlink realpath rm rmdir seq sha1sum sha256sum sha384sum sha512sum shuf sleep sort split stat tac tail tee timeout touch tr truncate tsort tty uname unexpand uniq wc whoami yes",
  "GNU diffutils) 3.8": "cmp diff",
  "GNU findutils) 4.9.0": "find xargs",
  "GNU grep) 3.8": "grep",
  "GNU sed) 4.9": "sed",
  "GNU tar) 1.34": "tar",
};

/** The answer to `--version`, by which scripts tell GNU programs from others; `undefined` for all other commands. */
export function versionOf(name: string): string | undefined {
  const found = Object.entries(PACKAGES).find(([, names]) => names.split(" ").includes(name));
  return (
    found && `${name} (${found[0]}\nThis is the program of a virtual shell that answers alike.\n`
  );
}
