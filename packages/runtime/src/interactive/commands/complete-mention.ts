import { READING } from "../../permissions/rules/tool-names.ts";
import { mentionablePaths, pathsLike } from "../../session/mentions/list-mentions.ts";
import { mentionOf, type TypedMention } from "../../session/mentions/mention-words.ts";
import type { CommandSession } from "./command-session.ts";
import type { CommandCompletion } from "./complete.ts";

const MAX_CHOICES = 30;
/** Tells the mention of an agent from a file of its name. */
const AGENT = "agent-";

type MentioningSession = Pick<CommandSession, "workspace" | "explain">;

/** The completions of mentions. The files are listed once for each mention that is typed. */
export class MentionCompletion {
  readonly #session: MentioningSession;
  #listed: { before: string; paths: Promise<string[]> } | undefined;

  constructor(session: MentioningSession) {
    this.#session = session;
  }

  /** The files, directories and agents that a mention at this place may stand for, best first. */
  async complete(
    text: string,
    { start, end, typed }: TypedMention,
    agents: readonly { name: string; description: string }[],
  ): Promise<CommandCompletion[]> {
    const place = { start, end };
    const paths = pathsLike(await this.#paths(text.slice(0, start), typed), typed);
    const files = paths
      .slice(0, 2 * MAX_CHOICES)
      .filter((path) => this.#mayBeRead(path))
      .map((path) => ({
        value: mentionOf(path),
        description: path.endsWith("/") ? "Folder" : "",
        ...place,
      }));
    const wanted = typed.toLowerCase();
    const asked = agents
      .filter(({ name }) => isAgent(name.toLowerCase(), wanted))
      .map(({ name, description }) => ({
        value: mentionOf(AGENT + name),
        description,
        ...place,
      }));
    const room = Math.max(0, MAX_CHOICES - asked.length);
    // A whole name is what was meant; otherwise files are what is looked for most.
    return wanted.startsWith(AGENT)
      ? [...asked, ...files.slice(0, room)]
      : [...files.slice(0, room), ...asked];
  }

  #paths(before: string, typed: string): Promise<string[]> {
    if (typed !== "" && this.#listed?.before === before) return this.#listed.paths;
    const paths = mentionablePaths(this.#session.workspace, new AbortController().signal);
    const listed = (this.#listed = { before, paths });
    paths.catch(() => {
      if (this.#listed === listed) this.#listed = undefined;
    });
    return paths;
  }

  /** True until the rules are known: nothing but names is shown. */
  #mayBeRead(path: string): boolean {
    const filePath = `${this.#session.workspace.cwd}/${path}`;
    try {
      return this.#session.explain(READING, { filePath }).decision !== "deny";
    } catch {
      return true;
    }
  }
}

function isAgent(name: string, wanted: string): boolean {
  return name.startsWith(wanted) || (AGENT + name).startsWith(wanted);
}
