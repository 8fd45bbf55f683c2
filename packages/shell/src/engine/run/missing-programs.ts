const SUBSTITUTES: readonly (readonly [programs: string, advice: string])[] = [
  [
    "python python2 python3 perl ruby php lua Rscript",
    "compute with awk, jq or bc, and edit with sed",
  ],
  [
    "node nodejs deno bun tsx ts-node tsc npx bunx",
    "no program of a project runs here; read JSON with jq, compute with awk or bc",
  ],
  [
    "npm yarn pnpm pip pip3 pipx uv poetry gem cargo go rustc gcc g++ clang cc make cmake mvn gradle",
    "nothing is installed or built here; change the files themselves",
  ],
  ["apt apt-get apk yum dnf brew snap", "nothing can be installed here"],
  ["docker podman kubectl helm systemctl service crontab", "the shell is not backed by a machine"],
  ["ps top htop pgrep pkill killall lsof free", "the shell is the only process"],
  ["curl wget ssh scp rsync nc telnet ping dig nslookup", "the shell has no network"],
  ["sudo su doas chown chgrp", "all files belong to you"],
  ["vi vim nvim nano emacs ed pico", "edit with sed -i, patch or a here-document"],
  [
    "bzip2 bunzip2 bzcat xz unxz xzcat zstd 7z rar unrar",
    "pack and unpack with gzip, tar z and zip",
  ],
  ["git hg svn", "compare with diff and apply with patch"],
  [
    "sqlite3 psql mysql redis-cli",
    "databases are not available; work on text with awk, join and sort",
  ],
  ["ag ack fd fdfind", "search with grep -r, rg and find"],
  ["csplit", "split files with split or awk"],
  ["man info", "most programs explain themselves with --help"],
];

/** An alternative to a missing program that agents often call. */
export function alternativeTo(program: string): string | undefined {
  return SUBSTITUTES.find(([programs]) => programs.split(" ").includes(program))?.[1];
}
