import { print, type Process, report } from "../run/process.ts";
import { describeAll } from "./describe.ts";
import { parseOptions, withTexts } from "./builtin.ts";

const LETTERS: Readonly<Record<string, string>> = {
  a: "allexport",
  b: "notify",
  e: "errexit",
  f: "noglob",
  h: "hashall",
  k: "keyword",
  m: "monitor",
  n: "noexec",
  p: "privileged",
  u: "nounset",
  v: "verbose",
  x: "xtrace",
  B: "braceexpand",
  C: "noclobber",
  E: "errtrace",
  H: "histexpand",
  P: "physical",
  T: "functrace",
};
export const NAMED = [
  ...Object.values(LETTERS),
  "emacs",
  "history",
  "ignoreeof",
  "interactive-comments",
  "nolog",
  "onecmd",
  "pipefail",
  "posix",
  "vi",
].sort();
export const SHOPT =
  "assoc_expand_once autocd cdable_vars cdspell checkhash checkjobs checkwinsize cmdhist compat31 complete_fullquote direxpand dirspell dotglob execfail expand_aliases extdebug extglob extquote failglob force_fignore globasciiranges globskipdots globstar gnu_errfmt histappend histreedit histverify hostcomplete huponexit inherit_errexit interactive_comments lastpipe lithist localvar_inherit localvar_unset login_shell mailwarn no_empty_cmd_completion nocaseglob nocasematch noexpand_translation nullglob patsub_replacement progcomp progcomp_alias promptvars restricted_shell shift_verbose sourcepath varredir_close xpg_echo".split(
    " ",
  );

export const set = withTexts(async (process, args) => {
  const { state } = process;
  if (args.length === 0) {
    await print(process, 1, describeAll(process));
    return 0;
  }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      state.positional = args.slice(at + 1);
      return 0;
    }
    if (arg === "+") continue;
    if (arg === "-") {
      state.options.delete("xtrace");
      state.options.delete("verbose");
      if (at + 1 < args.length) state.positional = args.slice(at + 1);
      return 0;
    }
    if (!/^[+-]./.test(arg)) {
      state.positional = args.slice(at);
      return 0;
    }
    const isOn = arg.startsWith("-");
    for (const letter of arg.slice(1)) {
      const name = letter === "o" ? args[++at] : LETTERS[letter];
      if (letter === "o" && name === undefined) return showOptions(process, isOn);
      if (name === undefined || !NAMED.includes(name)) {
        await report(
          process,
          `set: ${letter === "o" ? `${name ?? ""}: invalid option name` : `${arg}: invalid option`}`,
        );
        return 2;
      }
      switchOption(process, name, isOn);
    }
  }
  return 0;
});

function switchOption({ state }: Process, name: string, isOn: boolean): void {
  if (isOn) state.options.add(name);
  else state.options.delete(name);
}

async function showOptions(process: Process, isTable: boolean): Promise<number> {
  const { options } = process.state;
  const lines = NAMED.map((name) => {
    const isOn = options.has(name) || name === "interactive-comments";
    return isTable ? rowOf(name, isOn) : settingOf(name, isOn);
  });
  await print(process, 1, lines.join(""));
  return 0;
}

function rowOf(name: string, isOn: boolean): string {
  return `${name.padEnd(15)}\t${isOn ? "on" : "off"}\n`;
}

/** The command that sets an option of `set` as it is. */
function settingOf(name: string, isOn: boolean): string {
  return `set ${isOn ? "-" : "+"}o ${name}\n`;
}

/** The same for one of `shopt`. */
function switchingOf(name: string, isOn: boolean): string {
  return `shopt -${isOn ? "s" : "u"} ${name}\n`;
}

export const shopt = withTexts(async (process, args) => {
  const { options: flags, rest } = parseOptions(args, { flags: "supqo" });
  const { options } = process.state;
  const known = flags.has("o") ? NAMED : SHOPT;
  const commandOf = flags.has("o") ? settingOf : switchingOf;
  const lineOf = flags.has("p") ? commandOf : rowOf;
  let status = 0;
  for (const name of rest) {
    if (!known.includes(name)) {
      await report(process, `shopt: ${name}: invalid ${flags.has("o") ? "" : "shell "}option name`);
      status = 1;
    } else if (flags.has("s") || flags.has("u")) switchOption(process, name, flags.has("s"));
    else if (!options.has(name)) status = 1;
  }
  if (flags.has("q") || (rest.length > 0 && (flags.has("s") || flags.has("u")))) return status;
  for (const name of rest.length > 0 ? rest.filter((one) => known.includes(one)) : known) {
    const isOn = options.has(name);
    if (rest.length === 0 && (flags.has("s") || flags.has("u")) && isOn !== flags.has("s"))
      continue;
    await print(process, 1, lineOf(name, isOn));
  }
  return status;
});
