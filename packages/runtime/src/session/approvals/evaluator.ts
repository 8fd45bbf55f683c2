import type { ToolArgs, ToolCall } from "../../messages/message.ts";
import type { PermissionContext } from "../../permissions/call.ts";
import type { PermissionExplanation } from "../../permissions/evaluate.ts";
import type { ExplainedOnFiles } from "../../permissions/paths/explain-on-files.ts";
import { DEFAULT_ALLOW_PATTERNS } from "../../permissions/rules/default-rules.ts";
import { type PermissionLists, rulesOf } from "../../permissions/permission.ts";
import { rulesOnDemand } from "../../permissions/rules/rules-on-demand.ts";
import type { AccessRules } from "../../ports/access.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { RuleEngine } from "./rule-engine.ts";
import type { AskedTool, ApprovalOptions } from "./options.ts";

const RULE_KINDS = ["allow", "ask", "deny"] as const;
/** Far more calls than run at once. */
const MAX_JUDGED = 500;

/** What the rules of a session say: those it was given, those that answers added, and those of its workspace. */
export class RuleEvaluator {
  readonly #options: ApprovalOptions;
  readonly #engine: RuleEngine;
  /** Rules that hold for the workspace, once they were loaded. */
  #workspaceRules: Promise<Set<string>> | undefined;
  #loadedRules: ReadonlySet<string> = new Set();
  /** How much of the history was looked through for what came from the network. */
  #seenEntries = 0;
  #isUntrusted = false;
  /** The working directory that links were followed for, and the directories of the workspace that are links. */
  #followed: string | undefined;
  #links: readonly (readonly [named: string, real: string])[] = [];
  /** By call: the paths it names, as they were judged. */
  #judgedPaths: Map<string, readonly string[]> | undefined;

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.#engine = new RuleEngine(
      () => options.lists(),
      () => options.readOnlyCommands?.() ?? true,
    );
  }

  /** What would happen to a call now, and why, going by the text of its paths. @throws {SessionError} `CLOSED` before `load` */
  explain(tool: AskedTool, args: ToolArgs): PermissionExplanation {
    const { mode } = this.#options.state;
    const { explain } = this.#engine.loaded;
    return explain(tool.name, args, mode, this.lists, this.#contextFor(tool));
  }

  /** Loads what judges calls when the session opens, unless that can wait for the first of them: rules are always checked. */
  async open(): Promise<void> {
    const isNeeded = !this.#options.loadsRulesLater || hasRules(this.#options.lists());
    if (isNeeded) await this.load();
  }

  /** As `open`, once it is known which workspace the session is of. */
  async openWorkspace(): Promise<void> {
    await Promise.all([this.open(), this.#workspace()]);
  }

  /** Loads all that decisions need, the rules of the workspace too. */
  async prepare(): Promise<void> {
    await Promise.all([this.load(), this.#workspace()]);
  }

  /** Loads what judges calls. @throws {ValidationError} when a rule does not do what its examples say */
  async load(): Promise<void> {
    await Promise.all([this.#engine.load(), this.#followLinks()]);
  }

  /** Judges lists that may come into force. @throws {ValidationError} as `load` */
  async check(lists: PermissionLists): Promise<void> {
    if (hasRules(lists)) (await this.#engine.load()).checkRules(lists);
  }

  /** As `explain`, with paths followed to where they lead. */
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
    return this.#engine.loaded.explainOnFiles(
      fs,
      tool.name,
      args,
      mode,
      this.lists,
      this.#contextFor(tool, context),
    );
  }

  /** The rules for single files and commands, for the tool that a call runs. */
  accessRules(call: ToolCall, context: Pick<ToolContext, "platform">): AccessRules {
    const { state, roots } = this.#options;
    const options = {
      lists: this.lists,
      cwd: state.cwd,
      home: context.platform.home,
      ...(roots ? { roots } : {}),
      aliases: this.#links,
      named: this.#judgedPaths?.get(call.id) ?? [],
      isApproved: state.decisions.get(call.id)?.allow === true,
      ...(this.#engine.isReadOnly ? { isReadOnly: this.#engine.isReadOnly } : {}),
    };
    return rulesOnDemand(() => this.#engine.loaded.accessRules(options));
  }

  /** All rules that hold now. */
  get lists(): PermissionLists {
    const { state } = this.#options;
    const lists = this.#options.lists();
    const granted = (name: string, allow: readonly string[]) => ({ name, lists: { allow } });
    return {
      ...lists,
      layers: [
        ...(lists.layers ?? []),
        granted(
          "session",
          state.grants.map(({ pattern }) => pattern),
        ),
        granted("workspace", [...this.#loadedRules]),
      ],
    };
  }

  #contextFor(tool: AskedTool, context?: ToolContext): PermissionContext {
    const { state, roots, home, guardUntrustedReads = false } = this.#options;
    const where = context?.platform.home ?? home;
    const { isReadOnly } = this.#engine;
    const shell = context?.platform.shell ?? this.#options.shell;
    const directory = tool.name === "Bash" ? context?.state.get("bashDirectory") : undefined;
    const outputs = context?.state.get("outputDirectory");
    return {
      cwd: state.cwd,
      roots: [...(roots ?? [state.cwd]), ...this.#links.map(([, real]) => real)],
      aliases: this.#links,
      ...(isReadOnly ? { isReadOnly } : {}),
      ...(typeof directory === "string" ? { directory } : {}),
      ...(typeof outputs === "string" ? { readableRoots: [outputs] } : {}),
      ...(where === undefined ? {} : { home: where }),
      ...(shell?.kind === "native" ? { startsPrograms: true } : {}),
      ...(guardUntrustedReads && this.hasUntrusted() ? { untrusted: true } : {}),
      ...(tool.access ? { access: tool.access } : {}),
      ...patternContext(tool),
    };
  }

  /** Finds out where the directories of the workspace are, once: what becomes of a link later changes no rule. */
  async #followLinks(): Promise<void> {
    const { fs, roots = [], state } = this.#options;
    const { cwd } = state;
    if (!fs || this.#followed === cwd) return;
    this.#followed = cwd;
    // Also where there are no files at all, as in a replay.
    const real = async (path: string): Promise<string> => {
      try {
        return await fs.realpath(path);
      } catch {
        return path;
      }
    };
    const all = [...new Set([cwd, ...roots])];
    const pairs = await Promise.all(all.map(async (path) => [path, await real(path)] as const));
    this.#links = pairs.filter(([path, where]) => path !== where);
  }

  #workspace(): Promise<Set<string>> {
    const { grants } = this.#options;
    this.#workspaceRules ??= (grants ? grants.load() : Promise.resolve([])).then((rules) => {
      const found = new Set(rules);
      this.#loadedRules = found;
      return found;
    });
    return this.#workspaceRules;
  }

  /** Whether a tool, or an agent that it started, may have brought something from the network into the session. */
  hasUntrusted(): boolean {
    const { state, guardUntrustedReads } = this.#options;
    if (guardUntrustedReads === "from-start") return true;
    const { history } = state;
    for (; !this.#isUntrusted && this.#seenEntries < history.length; this.#seenEntries++) {
      const data: unknown = history[this.#seenEntries]?.data;
      const name = typeof data === "object" && data !== null && "name" in data ? data.name : "";
      this.#isUntrusted =
        typeof name === "string" && /^(?:Agent|WebFetch|WebSearch|mcp__.*)$/.test(name);
    }
    return this.#isUntrusted;
  }

  /** Keeps the paths that a call was judged by, for the rules of the tool that it runs. */
  remember({ id, name }: ToolCall, paths: readonly string[]): void {
    // A search names where it begins, and not what it may show.
    if (name === "Glob" || name === "Grep") return;
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
      : suggestPattern(tool.name, args, patternContext(tool));
    if (pattern === undefined) return undefined;
    const lists = this.lists;
    const layers = [...(lists.layers ?? []), { name: "session", lists: { allow: [pattern] } }];
    const { mode } = this.#options.state;
    const where = this.#contextFor(tool, context);
    const { fs } = context.platform;
    const then = await explainOnFiles(fs, tool.name, args, mode, { ...lists, layers }, where);
    return then.decision === "auto" ? pattern : undefined;
  }

  /** Lets a rule hold for the workspace, which keeps it. */
  async keep(pattern: string): Promise<void> {
    (await this.#workspace()).add(pattern);
    await this.#options.grants?.save(pattern);
  }

  /** Takes a rule of the workspace back. */
  async forget(pattern: string): Promise<void> {
    await this.#options.grants?.remove(pattern);
    (await this.#workspace()).delete(pattern);
  }
}

function patternContext({ patternArgument }: Pick<Tool, "patternArgument">): {
  patternArgument?: string;
} {
  return patternArgument === undefined ? {} : { patternArgument };
}

/** Whether there is a rule that somebody wrote, and that may be wrong. */
function hasRules(lists: PermissionLists): boolean {
  const isWritten = ({ rule }: { rule: string }): boolean => !DEFAULT_ALLOW_PATTERNS.includes(rule);
  return RULE_KINDS.some((kind) => rulesOf(lists, kind).some(isWritten));
}
