import type { GitSetting } from "./config-text.ts";

const any = /^/;
const YES_OR_NO = /^(?:true|false|yes|no|on|off|0|1|)$/i;
const NAME = /^[\w./@+-]*$/;
/** Neither a transport that runs a program (`ext::sh -c …`) nor an option for one. */
const ADDRESS = /^(?!-)(?!.*::)/s;

/**
 * Settings with which a read-only Git command starts no program, reads no further settings file, and makes no request,
 * by section and name, with their permitted values. From the list in git-config(1), those common in repositories. An
 * unlisted setting may be harmless, too, but needs approval.
 */
const HARMLESS: Readonly<Record<string, readonly (readonly [name: RegExp, value: RegExp])[]>> = {
  core: [
    [
      /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|trustctime|checkstat|quotepath|preloadindex|untrackedcache|abbrev|longpaths|protecthfs|protectntfs|sharedrepository|compression|loosecompression|bigfilethreshold|deltabasecachelimit|packedgitlimit|packedgitwindowsize|multipackindex|commitgraph|sparsecheckout|sparsecheckoutcone|whitespace|commentchar|createobject|fscache|hidedotfiles|warnambiguousrefs|usereplacerefs|notesref|maxtreedepth|fsync|fsyncmethod|fsyncobjectfiles)$/,
      any,
    ],
    // Any other value is the path of a program.
    [/^fsmonitor$/, /^(?:true|false)$/i],
  ],
  extensions: [
    [/^(?:objectformat|compatobjectformat|refstorage|worktreeconfig|relativeworktrees|noop)$/, any],
    [/^preciousobjects$/, YES_OR_NO],
  ],
  remote: [
    [/^(?:url|pushurl)$/, ADDRESS],
    [
      /^(?:fetch|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|followremotehead|gh-resolved|pushdefault)$/,
      any,
    ],
  ],
  branch: [
    [
      /^(?:remote|merge|rebase|pushremote|description|autosetupmerge|autosetuprebase|sort|gh-merge-base|vscode-merge-base|github-pr-owner-number)$/,
      any,
    ],
  ],
  user: [[/^(?:name|email|signingkey|useconfigonly)$/, any]],
  author: [[/^(?:name|email)$/, any]],
  committer: [[/^(?:name|email)$/, any]],
  commit: [[/^(?:gpgsign|verbose|status|cleanup|template)$/, any]],
  tag: [[/^(?:gpgsign|forcesignannotated|sort)$/, any]],
  gpg: [[/^format$/, /^(?:openpgp|x509|ssh)$/i]],
  init: [[/^defaultbranch$/, any]],
  pull: [[/^(?:rebase|ff|twohead|octopus)$/, any]],
  push: [[/^(?:default|autosetupremote|followtags|recursesubmodules|gpgsign)$/, any]],
  fetch: [
    [
      /^(?:prune|prunetags|parallel|recursesubmodules|writecommitgraph|output|all|fsckobjects)$/,
      any,
    ],
  ],
  merge: [[/^(?:ff|conflictstyle|renames|log|stat|autostash|tool|renamelimit)$/, any]],
  rebase: [[/^(?:autostash|autosquash|updaterefs|stat|missingcommitscheck)$/, any]],
  rerere: [[/^(?:enabled|autoupdate)$/, any]],
  diff: [
    [
      /^(?:algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix|indentheuristic|context|interhunkcontext|statgraphwidth|suppressblankempty|wserrorhighlight|relative|autorefreshindex|tool|guitool|dirstat|xfuncname|funcname|binary|wordregex)$/,
      any,
    ],
    [/^ignoresubmodules$/, NAME],
  ],
  status: [
    [
      /^(?:showuntrackedfiles|relativepaths|short|branch|aheadbehind|renames|showstash|displaycommentprefix)$/,
      any,
    ],
  ],
  log: [
    [
      /^(?:date|decorate|abbrevcommit|follow|graphcolors|showroot|mailmap|initialdecorationset)$/,
      any,
    ],
  ],
  format: [[/^pretty$/, any]],
  blame: [[/^(?:ignorerevsfile|coloring|date|showemail|showroot|markunblamablelines)$/, any]],
  grep: [[/^(?:linenumber|column|patterntype|extendedregexp|threads|fallbacktonoindex)$/, any]],
  submodule: [
    [/^url$/, ADDRESS],
    [/^(?:active|branch|path|recurse|ignore|fetchrecursesubmodules|fetchjobs|shallow)$/, any],
    [/^update$/, /^(?:checkout|rebase|merge|none)$/i],
  ],
  color: [[any, /^[\w #-]*$/]],
  column: [[any, /^[\w, -]*$/]],
  gc: [[/^(?!recentobjectshook$)/, any]],
  maintenance: [[/^(?:auto|strategy|enabled|schedule|repo)$/, any]],
  pack: [[any, /^[\w.]*$/]],
  index: [[/^(?:version|threads|skiphash|recordendofindexentries|recordoffsettable)$/, any]],
  feature: [[/^(?:manyfiles|experimental)$/, any]],
  advice: [[any, YES_OR_NO]],
  alias: [[any, /^(?!\s*!)/]],
  i18n: [[any, NAME]],
  http: [[/^(?:postbuffer|version|extraheader|sslverify|lowspeedlimit|lowspeedtime)$/, any]],
  protocol: [[/^version$/, /^\d$/]],
  url: [[/^(?:insteadof|pushinsteadof)$/, any]],
  transfer: [[/^(?:fsckobjects|hiderefs)$/, any]],
  receive: [[/^(?:denycurrentbranch|denynonfastforwards|denydeletes|fsckobjects)$/, any]],
  lfs: [
    [/^(?:repositoryformatversion|access|locksverify|url|fetchinclude|fetchexclude)$/, ADDRESS],
  ],
  worktree: [[/^(?:guessremote|userelativepaths)$/, any]],
  stash: [[any, YES_OR_NO]],
  help: [[/^autocorrect$/, NAME]],
  // Settings of other programs, which Git itself ignores.
  vscode: [[any, any]],
  gui: [[any, any]],
  gitflow: [[any, any]],
};

/** Reports whether a read-only command makes Git start nothing by this repository setting. */
export function isHarmlessSetting({ section, name, value }: GitSetting): boolean {
  const known = Object.hasOwn(HARMLESS, section) ? HARMLESS[section] : undefined;
  return known?.some(([names, values]) => names.test(name) && values.test(value)) ?? false;
}

/** The setting's name in `git config`, such as `remote.origin.url`. */
export function settingName({ section, subsection, name }: GitSetting): string {
  return subsection === undefined ? `${section}.${name}` : `${section}.${subsection}.${name}`;
}
