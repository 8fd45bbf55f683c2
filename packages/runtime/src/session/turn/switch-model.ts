import { defined } from "../../defined.ts";
import { DEFAULT_CONTEXT_WINDOW, findModel } from "../../context/models.ts";
import { LANGUAGE } from "../../context/language-name.ts";
import { areOfDifferentServices, expandModel } from "../../context/model-names.ts";
import { requireProvider } from "../../agent/require-provider.ts";
import { RunMeter, Spending } from "../../agent/budget.ts";
import {
  ConfigurationError,
  ModelNotAvailableError,
  ValidationError,
  requireArgument,
} from "../../errors.ts";
import type { NativeWebTools, Provider } from "../../providers/provider.ts";
import { withModel } from "../../providers/with-model.ts";
import type { SessionOptions } from "../options.ts";
import type { SessionEventOf } from "../log/events.ts";
import type { SessionLog } from "../log/log.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import { type ContextReportParts, reportContext } from "../state/report-context.ts";
import type { SessionState } from "../state/state.ts";
import { reportWithWebSearch, saysWebSearch, withWebSearch } from "./web-search-words.ts";
import { type NativeWebParts, nativeWebTools } from "./native-web.ts";
import { keepHeader } from "../store/header-writer.ts";

const MAX_MODEL_LENGTH = 200;

/** The providers of a session in which one was chosen. */
export interface SwitchedProvider {
  /** All of them, with their own models: those of the options first, then those given later. */
  readonly known: Provider[];
  /** The one of the next turn, with its own model. */
  base: Provider;
  /** The one of the next turn with its model, until that turn begins. */
  next: Provider | undefined;
  /** Puts `next` in force. */
  take(): void;
}

export type SwitchParts = ContextReportParts &
  NativeWebParts & {
    /** The session's own copy: `provider` answers the running turn. */
    readonly options: SessionOptions;
    readonly initialOptions: SessionOptions;
    readonly log: SessionLog;
    readonly state: SessionState;
    readonly writer: SessionWriter;
    nativeWeb: NativeWebTools | undefined;
    switched: SwitchedProvider | undefined;
  };

/** A model, of the session's present provider when none is named. */
export type WantedModel =
  | string
  | { readonly provider?: string | undefined; readonly model: string };

/** Implements `Session.setModel`. `isRunning`: a turn runs, and ends with its own model. */
export async function switchModel(
  parts: SwitchParts,
  wanted: WantedModel,
  isRunning: () => boolean,
): Promise<void> {
  if (typeof wanted !== "string") requireArgument("model", wanted, "object");
  const { provider: name, model: written } =
    typeof wanted === "string" ? { provider: undefined, model: wanted } : wanted;
  requireModelName(written);
  const base = name === undefined ? switchedOf(parts).base : requireKnown(parts, name);
  await useModel(parts, base, expandModel(written.trim()), isRunning);
}

/** Implements `Session.setProvider`. */
export async function switchProvider(
  parts: SwitchParts,
  provider: Provider,
  isRunning: () => boolean,
): Promise<void> {
  requireProvider({ provider });
  await useModel(parts, provider, provider.model, isRunning);
}

/** Implements `Session.setLanguage`. @throws {ValidationError} for anything but a language's name */
export async function switchLanguage(
  { writer }: SwitchParts,
  wanted: string | undefined,
): Promise<void> {
  // Also null, which JSON has where nothing is.
  if (wanted !== undefined && wanted !== null) requireArgument("language", wanted);
  const language = wanted?.trim() || undefined;
  if (language !== undefined && !LANGUAGE.test(language))
    throw new ValidationError(`${JSON.stringify(language.slice(0, 60))} is not a language's name`, {
      hint: "Give a name or a tag, such as German or pt-BR; leave it out for none.",
    });
  await writer.commit(defined({ type: "language_change", language }));
}

/**
 * Continues with the model that a stored session's record names last. When its provider is not among the session's, the
 * provider of the options answers, and a note says so.
 */
export function adoptModel(parts: SwitchParts): void {
  const { state, log } = parts;
  const chosen = state.model;
  if (!chosen) return;
  const switched = switchedOf(parts);
  const base = known(switched, chosen.provider);
  if (!base) {
    const { name: provider, model } = switched.base;
    const data = { ...chosen, used: { provider, model } };
    return log.stream({ type: "note", kind: "model-unavailable", data }, { transient: true });
  }
  switched.base = base;
  switched.next = withModel(base, chosen.model);
  switched.take();
}

async function useModel(
  parts: SwitchParts,
  base: Provider,
  model: string,
  isRunning: () => boolean,
): Promise<void> {
  const { writer } = parts;
  const switched = switchedOf(parts);
  if (areOfDifferentServices(base.model, model))
    throw new ModelNotAvailableError(`${base.name} does not serve ${model}`, {
      provider: base.name,
      hint: `Name the provider too: { provider, model }. Known here: ${namesOf(parts)}.`,
    });
  requireCountable(parts.options, model);
  await writer.commit({
    type: "model_change",
    provider: base.name,
    model,
    ...promptChange(parts, withModel(base, model)),
  });
  if (!switched.known.includes(base)) switched.known.push(base);
  switched.base = base;
  switched.next = withModel(base, model);
  if (isRunning()) return;
  switched.take();
  writer.saveHeader(keepHeader);
  reportContext(parts);
}

/** The system prompt with the words on web search that this provider needs, where that changes it. */
function promptChange(
  { state: { promptReport, systemMessage }, initialOptions }: SwitchParts,
  provider: Provider,
): Pick<SessionEventOf<"model_change">, "systemMessage" | "promptReport"> {
  if (!promptReport) return {};
  const searchesWeb = nativeWebTools({ ...initialOptions, provider })?.webSearch ?? false;
  if (searchesWeb === saysWebSearch(promptReport)) return {};
  return {
    systemMessage: withWebSearch(systemMessage, searchesWeb),
    promptReport: reportWithWebSearch(promptReport, searchesWeb),
  };
}

/** Finds a budget that can't be counted now and not with the next turn. @throws {ValidationError} */
function requireCountable({ models, budget, turnBudget }: SessionOptions, model: string): void {
  const ownerSpending = new Spending();
  const budgets = { ownerBudget: budget, runBudget: turnBudget };
  try {
    new RunMeter({ model, models, owner: "session", ownerSpending, ...budgets });
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    // The session's configuration was sound: the wanted model does not fit it.
    throw new ValidationError(
      `${model} has no known prices, which this session's budget in dollars needs`,
      { hint: `Choose a model with known prices. ${cause.hint}`, cause },
    );
  }
}

function switchedOf(parts: SwitchParts): SwitchedProvider {
  const { provider, providers = [] } = parts.initialOptions;
  return (parts.switched ??= {
    known: [...new Set([provider, ...providers])],
    base: provider,
    next: undefined,
    take: () => takeNext(parts),
  });
}

/** Puts the chosen provider in force, with its window and its web tools. */
function takeNext(parts: SwitchParts): void {
  const { options, initialOptions, switched, requestContext } = parts;
  if (!switched?.next) return;
  const { next } = switched;
  switched.next = undefined;
  options.provider = next;
  parts.nativeWeb = nativeWebTools(options);
  requestContext.tracker.maxTokens = windowOf(next, options, initialOptions.provider);
}

/** A window given in the options is that of the first model; it is the best guess for one that no catalog knows. */
function windowOf(
  provider: Provider,
  { contextWindow, models }: SessionOptions,
  first: Provider,
): number {
  if (provider === first && contextWindow !== undefined) return contextWindow;
  const known = findModel(provider.model, models)?.contextWindow;
  return known ?? contextWindow ?? DEFAULT_CONTEXT_WINDOW;
}

/** The last one given of that name; the present one first. */
function known({ base, known }: SwitchedProvider, name: string): Provider | undefined {
  return [base, ...known.toReversed()].find((provider) => provider.name === name);
}

function requireKnown(parts: SwitchParts, name: string): Provider {
  const provider = known(switchedOf(parts), name);
  if (provider) return provider;
  throw new ValidationError(`This session has no provider ${JSON.stringify(name)}`, {
    hint: `Known here: ${namesOf(parts)}. Give more with the option providers, or with setProvider.`,
  });
}

function namesOf(parts: SwitchParts): string {
  return [...new Set(switchedOf(parts).known.map(({ name }) => name))].join(", ");
}

function requireModelName(model: unknown): void {
  const isName =
    typeof model === "string" && /^\S+$/.test(model.trim()) && model.length <= MAX_MODEL_LENGTH;
  if (isName) return;
  throw new ValidationError("A model is named by its id at the service", {
    hint: "Give it without spaces, such as claude-sonnet-5, or a short name: opus, sonnet, haiku.",
  });
}
