import type { ShellState } from "../state/shell-state.ts";

export const BUILTIN_NAMES: ReadonlySet<string> = new Set(
  ": . [ alias break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false getopts hash jobs kill let local mapfile popd printf pushd pwd read readarray readonly return set shift shopt source test times trap true type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

export const KEYWORDS: ReadonlySet<string> = new Set(
  "if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc".split(
    " ",
  ),
);

/** Reports whether a command is one of the shell itself, and in force. */
export function isBuiltin({ disabled }: ShellState, name: string): boolean {
  return BUILTIN_NAMES.has(name) && !disabled.has(name);
}
