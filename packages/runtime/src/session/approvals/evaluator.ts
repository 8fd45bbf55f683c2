import { defined } from "../../defined.ts";
import type { ToolArgs, ToolCall } from "../../messages/message.ts";
import type { PermissionContext } from "../../permissions/call.ts";
import type { PermissionExplanation } from "../../permissions/evaluate.ts";
import type { ExplainedOnFiles } from "../../permissions/paths/explain-on-files.ts";
import { DEFAULT_ALLOW_PATTERNS } from "../../permissions/rules/default-rules.ts";
import { type PermissionLists, type RuleInForce, rulesOf } from "../../permissions/permission.ts";
import { rulesOnDemand } from "../../permissions/rules/rules-on-demand.ts";
import type { AccessRules } from "../../ports/access.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { RuleEngine } from "./rule-engine.ts";
import type { AskedTool, ApprovalOptions } from "./options.ts";

const RULE_KINDS = ["allow", "ask", "deny"] as const;
/** Far more calls than run at once. */
const MAX_JUDGED = 500;
const NONE: ReadonlySet<string> = new Set();

/** The rules of a session: the given ones, those added by answers, and those of its workspace. */
export class RuleEvaluator {
  readonly #options: ApprovalOptions;
  readonly #engine: RuleEngine;
  /** Rules that hold for the workspace, once they were loaded. */
  #workspaceRules: ReadonlySet<string> = NONE;
  #loadingRules: Promise<void> | undefined;
  /** Number of history entries already scanned for network content. */
  #seenEntries = 0;
  #isUntrusted = false;
  /** The working directory that links were followed for, and the directories of the workspace that are links. */
  #followed: string | undefined;
  #links: readonly (readonly [named: string, real: string])[] = [];
  /** The canonical paths at the time of judgement, by call. */
  #judgedPaths: Map<string, readonly string[]> | undefined;
  /** Calls that were refused a protected file, with its path. */
  #asksFor: Map<string, string> | undefined;

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.#engine = new RuleEngine(options);
  }

  /**
   * The present decision on a call and its reason, by the text of its paths. @throws {SessionError} `CLOSED` before
   * `load`
   */
  explain(tool: AskedTool, args: ToolArgs): PermissionExplanation {
    const { mode } = this.#options.state;
    const { explain } = this.#engine.loaded;
    return explain(tool.name, args, mode, this.lists, this.#contextFor(tool, args));
  }

  /**
   * True while neither the mode nor a rule lets any call to the network run without a question. Known without the
   * permission engine, which is large, so that sessions whose answers call no tool need not load it.
   */
  get asksAboutNetwork(): boolean {
    return this.#options.state.mode !== "bypassPermissions" && !hasRules(this.lists);
  }

  /** Checks the rules as the session opens. */
  async open(): Promise<void> {
    if (!this.asksAboutNetwork) await this.load();
  }

  /** As `open`, once the session's workspace is known. */
  async openWorkspace(): Promise<void> {
    await Promise.all([this.#loadRules(), this.followLinks()]);
    await this.open();
  }

  /** Loads what `explain` needs, unless that can wait for the first call. */
  async openExplanations(): Promise<void> {
    if (!this.#options.loadsRulesLater) await this.load();
  }

  /** Loads all that decisions need, the rules of the workspace too. */
  async prepare(): Promise<void> {
    await this.load();
    await this.#loadRules();
  }

  /** Loads the permission engine. @throws {ValidationError} when a rule contradicts its examples */
  async load(): Promise<void> {
    if (!this.#engine.isLoaded) await this.#engine.load();
    if (this.#followed !== this.#options.state.cwd) await this.followLinks();
  }

  /** Judges lists that may come into force. @throws {ValidationError} as `load` */
  async check(lists: PermissionLists): Promise<void> {
    if (hasRules(lists)) (await this.#engine.load()).checkRules(lists);
  }

  /** As `explain`, with paths resolved. */
  async explainOnFiles(
    tool: AskedTool,
    args: ToolArgs,
    context: ToolContext,
  ): Promise<ExplainedOnFiles> {
    const { evaluator } = this.#options;
    if (evaluator) return evaluator.explain(tool, args, context);
    await this.prepare();
    const { mode } = this.#options.state;
    const { fs } = context.platform;
    const explained = await this.#engine.loaded.explainOnFiles(
      fs,
      tool.name,
      args,
      mode,
      this.lists,
      this.#contextFor(tool, args, context),
    );
    const path = this.#asksFor?.get(lineOf(tool.name, args));
    if (path === undefined || explained.decision !== "auto") return explained;
    const reason = `Git needs to write protected files, such as ${path}.`;
    return { ...explained, decision: "approve", step: "protected", reason };
  }

  /** Lets a call that needed a protected file be asked about when it is made again. */
  #askNextTime({ name, args }: ToolCall, path: string): void {
    const asksFor = (this.#asksFor ??= new Map());
    if (asksFor.size >= MAX_JUDGED) asksFor.clear();
    asksFor.set(lineOf(name, args), path);
  }

  /** The rules for single files and commands, for the tool that a call runs. */
  accessRules(call: ToolCall, context: Pick<ToolContext, "platform">): AccessRules {
    const { state, roots } = this.#options;
    const decision = state.decisions.get(call.id);
    const isSeen =
      decision?.allow === true &&
      !decision.updatedArgs &&
      (decision.by === "person" || decision.by === "handler");
    const options = {
      lists: this.lists,
      cwd: state.cwd,
      home: context.platform.home,
      roots,
      aliases: this.#links,
      named: this.#judgedPaths?.get(call.id) ?? [],
      isApproved: decision?.allow === true,
      isSeen,
      shownFiles: isSeen ? state.shownFiles.get(call.id) : [],
      onProtected: (path: string) => this.#askNextTime(call, path),
      isReadOnly: this.#engine.isReadOnly,
    };
    return rulesOnDemand(() => this.#engine.loaded.accessRules(options));
  }

  /** All rules in force. */
  get lists(): PermissionLists {
    const { state } = this.#options;
    const lists = this.#options.lists();
    const skills = this.#usedSkills;
    if (state.grants.length + this.#workspaceRules.size + skills.length === 0) return lists;
    const granted = (name: string, allow: readonly string[]) => ({ name, lists: { allow } });
    return {
      ...lists,
      layers: [
        ...(lists.layers ?? []),
        granted(
          "session",
          state.grants.map(({ pattern }) => pattern),
        ),
        granted("workspace", [...this.#workspaceRules]),
        ...skills.map((name) => granted(`skill ${name}`, this.#options.skillRules?.(name) ?? [])),
      ],
    };
  }

  /** All rules in force, each with its list and its layer. */
  async listRules(): Promise<RuleInForce[]> {
    // With the engine, so that a person who sees the rules can have a call explained.
    await this.prepare();
    const { lists } = this;
    return [...RULE_KINDS]
      .reverse()
      .flatMap((kind) =>
        rulesOf(lists, kind).map(({ rule, layer }) => ({ kind, rule, layer: layer ?? "program" })),
      );
  }

  #contextFor(tool: AskedTool, args: ToolArgs, context?: ToolContext): PermissionContext {
    const { state, roots, home, guardUntrustedReads = false } = this.#options;
    const where = context?.platform.home ?? home;
    const { isReadOnly } = this.#engine;
    const shell = context?.platform.shell ?? this.#options.shell;
    const facts = this.#engine.declared(tool);
    const access = tool.accessOf?.(args, (name) => this.#usedSkills.includes(name));
    const isShell = facts.patternKind === "command";
    const directory = isShell ? context?.state.get("bashDirectory") : undefined;
    const outputs = context?.state.get("outputDirectory");
    return {
      cwd: state.cwd,
      roots: [...(roots ?? [state.cwd]), ...this.#links.map(([, real]) => real)],
      aliases: this.#links,
      isReadOnly,
      directory: typeof directory === "string" ? directory : undefined,
      readableRoots: typeof outputs === "string" ? [outputs] : undefined,
      home: where,
      startsPrograms: shell?.kind === "native",
      untrusted:
        guardUntrustedReads !== false &&
        (this.hasUntrusted() || context?.state.get("backgroundUsedNetwork") === true),
      ...facts,
      ...defined({ access }),
    };
  }

  /** The skills that the open turn uses. */
  get #usedSkills(): readonly string[] {
    return this.#options.state.turn?.skills ?? [];
  }

  /** Resolves the workspace's directories once: later changes of a symlink change no rule. */
  async followLinks(): Promise<void> {
    const { fs, roots = [], state } = this.#options;
    const { cwd } = state;
    if (this.#followed === cwd) return;
    this.#followed = cwd;
    if (!fs) return;
    // Tolerates missing files, as in a replay.
    const real = async (path: string): Promise<string> => {
      try {
        return await fs.realpath(path);
      } catch {
        return path;
      }
    };
    const links: [named: string, real: string][] = [];
    for (const path of new Set([cwd, ...roots])) {
      const where = await real(path);
      if (path !== where) links.push([path, where]);
    }
    this.#links = links;
  }

  /** Loads the rules of the workspace, once; again after a failure. */
  #loadRules(): Promise<void> {
    this.#loadingRules ??= this.#readRules().catch((error: unknown) => {
      this.#loadingRules = undefined;
      throw error;
    });
    return this.#loadingRules;
  }

  async #readRules(): Promise<void> {
    const rules = (await this.#options.grants?.load()) ?? [];
    if (rules.length > 0) this.#workspaceRules = new Set(rules);
  }

  /** True when a tool or a subagent may have brought network content into the session. */
  hasUntrusted(): boolean {
    const { state, guardUntrustedReads, tools } = this.#options;
    if (guardUntrustedReads === "from-start") return true;
    const { history } = state;
    for (; !this.#isUntrusted && this.#seenEntries < history.length; this.#seenEntries++) {
      const entry = history[this.#seenEntries];
      this.#isUntrusted = entry !== undefined && this.#engine.isUntrustedEntry(entry, tools);
    }
    return this.#isUntrusted;
  }

  /** Keeps the paths that a call was judged by, for the rules of the tool that it runs. */
  remember({ id }: ToolCall, tool: AskedTool, paths: readonly string[]): void {
    const { patternKind } = this.#engine.declared(tool);
    // A search names its starting point, not the files it may show.
    if (patternKind === "glob" || patternKind === "search") return;
    this.#judgedPaths ??= new Map();
    if (this.#judgedPaths.size >= MAX_JUDGED) this.#judgedPaths.clear();
    this.#judgedPaths.set(id, paths);
  }

  /** The narrow rule for a call, when that rule would let it through. */
  async suggestion(tool: Tool, args: ToolArgs, context: ToolContext): Promise<string | undefined> {
    const { evaluator } = this.#options;
    if (evaluator) return evaluator.suggest(context);
    const { suggestPattern, explainOnFiles } = await this.#engine.load();
    const pattern = this.#options.asWhole?.(tool.name)
      ? tool.name
      : suggestPattern(tool.name, args, this.#engine.declared(tool));
    if (pattern === undefined) return undefined;
    const lists = this.lists;
    const layers = [...(lists.layers ?? []), { name: "session", lists: { allow: [pattern] } }];
    const { mode } = this.#options.state;
    const where = this.#contextFor(tool, args, context);
    const { fs } = context.platform;
    const then = await explainOnFiles(fs, tool.name, args, mode, { ...lists, layers }, where);
    return then.decision === "auto" ? pattern : undefined;
  }

  /** Stores a rule for the workspace. */
  async keep(pattern: string): Promise<void> {
    await this.#loadRules();
    this.#workspaceRules = new Set(this.#workspaceRules).add(pattern);
    await this.#options.grants?.save(pattern);
  }

  /** Takes a rule of the workspace back. */
  async forget(pattern: string): Promise<void> {
    await this.#options.grants?.remove(pattern);
    await this.#loadRules();
    this.#workspaceRules = new Set([...this.#workspaceRules].filter((rule) => rule !== pattern));
  }
}

/** A key for calls of the same tool with the same arguments. */
function lineOf(tool: string, args: ToolArgs): string {
  return JSON.stringify([tool, args["command"] ?? args]);
}

/** True when a person wrote a rule, which may be wrong. */
function hasRules(lists: PermissionLists): boolean {
  const isWritten = ({ rule }: { rule: string }): boolean => !DEFAULT_ALLOW_PATTERNS.includes(rule);
  return RULE_KINDS.some((kind) => rulesOf(lists, kind).some(isWritten));
}
