import { defined } from "../../defined.ts";
import { ConfigurationError, RobotaError } from "../../errors.ts";
import { nameHint } from "../../messages/near-names.ts";
import { Robota, type RobotaOptions } from "../../agent/robota.ts";

const DEFAULT_MAX_AGENTS = 100;

/** An agent created by a factory, until it is disposed. */
export interface CreatedAgent {
  readonly id: string;
  readonly name?: string | undefined;
  readonly createdAt: Date;
  readonly agent: Robota;
}

/** An agent's own options, and its name for people. */
type AgentOptions = Partial<RobotaOptions> & { name?: string | undefined };

/** Called around an agent's life. One that throws in `beforeCreate` or `afterCreate` prevents the agent. */
export interface AgentHooks {
  /** Optionally replaces the agent's options. */
  beforeCreate?(options: RobotaOptions): Promise<RobotaOptions | void> | RobotaOptions | void;
  afterCreate?(created: CreatedAgent): Promise<void> | void;
  /** Called after the agent has released its resources. */
  onDispose?(created: CreatedAgent): Promise<void> | void;
}

export interface AgentFactoryOptions extends AgentHooks {
  /** Defaults for every agent's options. */
  defaults?: Partial<RobotaOptions> | undefined;
  /** Agents at one time; default 100. */
  maxAgents?: number | undefined;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

/** Creates agents, and keeps a list of active ones. They share nothing but their options. */
export class AgentFactory {
  readonly #options: AgentFactoryOptions;
  readonly #agents = new Map<string, CreatedAgent>();
  /** Agents that are on the list or on their way to it. */
  #taken = 0;

  constructor(options: AgentFactoryOptions = {}) {
    this.#options = options;
  }

  /**
   * @throws {RobotaError} `AGENT_LIMIT` when there are as many as may be
   * @throws {ConfigurationError} without a provider
   */
  async create(options: AgentOptions = {}): Promise<CreatedAgent> {
    const { maxAgents = DEFAULT_MAX_AGENTS } = this.#options;
    if (this.#taken >= maxAgents) {
      throw new RobotaError(`There are ${maxAgents} agents already`, {
        code: "AGENT_LIMIT",
        category: "user",
        recoverable: true,
        hint: "Dispose of one that is not needed any more, or raise `maxAgents`.",
      });
    }
    this.#taken += 1;
    try {
      return await this.#create(options);
    } catch (error) {
      this.#taken -= 1;
      throw error;
    }
  }

  async #create({ name, ...own }: AgentOptions): Promise<CreatedAgent> {
    const { defaults, now = Date.now, randomUUID = () => crypto.randomUUID() } = this.#options;
    const asked = withProvider({ ...defaults, ...defined(own) });
    const options = (await this.#options.beforeCreate?.(asked)) ?? asked;
    const created: CreatedAgent = {
      id: randomUUID(),
      name,
      createdAt: new Date(now()),
      agent: new Robota(options),
    };
    try {
      await this.#options.afterCreate?.(created);
    } catch (error) {
      await created.agent.dispose();
      throw error;
    }
    this.#agents.set(created.id, created);
    return created;
  }

  get(id: string): CreatedAgent | undefined {
    return this.#agents.get(id);
  }

  /** Active agents, oldest first. */
  list(): CreatedAgent[] {
    return [...this.#agents.values()];
  }

  /** Resolves to whether the id existed. A running run ends by its own signal. */
  async dispose(id: string): Promise<boolean> {
    const created = this.#agents.get(id);
    if (!created) return false;
    this.#agents.delete(id);
    this.#taken -= 1;
    await created.agent.dispose();
    await this.#options.onDispose?.(created);
    return true;
  }

  /** Disposes of all. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#agents.keys()) await this.dispose(id);
  }
}

function withProvider(options: Partial<RobotaOptions>): RobotaOptions {
  const { provider } = options;
  if (provider) return { ...options, provider };
  throw new ConfigurationError("The agent has no provider", {
    hint: "Give one to create(), to the template or to the factory's `defaults`.",
  });
}

/** Options of agents of one kind. */
export interface AgentTemplate {
  id: string;
  /** Name for people. */
  name: string;
  description?: string;
  category?: string;
  tags?: readonly string[];
  options: Partial<RobotaOptions>;
}

/** An agent from a template, with warnings for its caller. */
export interface TemplateAgent extends CreatedAgent {
  /** Warnings, one for each replaced option of the template. */
  readonly warnings: readonly string[];
}

/** Kinds of agents by their ids, and agents made from them. */
export class AgentTemplates {
  readonly #factory: AgentFactory;
  readonly #templates = new Map<string, AgentTemplate>();

  constructor(factory: AgentFactory = new AgentFactory(), templates: Iterable<AgentTemplate> = []) {
    this.#factory = factory;
    for (const template of templates) this.register(template);
  }

  /** @throws {ConfigurationError} when the id is empty or taken */
  register(template: AgentTemplate): this {
    const { id } = template;
    if (id.trim() === "" || this.#templates.has(id)) {
      throw new ConfigurationError(
        id.trim() === "" ? "A template has no id" : `There is a template "${id}" already`,
        { hint: "Give each template an id of its own." },
      );
    }
    this.#templates.set(id, template);
    return this;
  }

  get(id: string): AgentTemplate | undefined {
    return this.#templates.get(id);
  }

  /** Templates of a category, with a tag, or all, in the order of registration. */
  list(filter: { category?: string; tag?: string } = {}): AgentTemplate[] {
    const { category, tag } = filter;
    return [...this.#templates.values()]
      .filter((template) => category === undefined || template.category === category)
      .filter((template) => tag === undefined || template.tags?.includes(tag));
  }

  /**
   * Creates an agent of this kind. `overrides` replace options of the template, one by one.
   * @throws {ConfigurationError} for an unknown template; the hint has similar ids
   */
  async create(id: string, overrides: Partial<RobotaOptions> = {}): Promise<TemplateAgent> {
    const template = this.#templates.get(id);
    if (!template) {
      throw new ConfigurationError(`There is no agent template "${id}"`, {
        hint: nameHint(id, this.#templates.keys()),
      });
    }
    const given = defined(overrides);
    const replaced = Object.keys(given).filter((option) => Object.hasOwn(template.options, option));
    const created = await this.#factory.create({
      ...template.options,
      ...given,
      name: template.name,
    });
    const warnings = replaced.map((option) => `${option} of the template ${id} was replaced`);
    return { ...created, warnings };
  }
}
