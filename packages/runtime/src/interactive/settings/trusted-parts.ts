import type { HookDefinition, HookGroup, HooksConfig } from "../../hooks/definition.ts";
import { isObject, type SettingsObject } from "./settings-object.ts";
import type { TrustedPart } from "./workspace-trust.ts";

/** The parts of a layer that wait for trust, one per decision of a person: each hook by itself. */
export function partsOf(file: string, values: SettingsObject): TrustedPart[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (key === "hooks" && isObject(value))
      return groupsIn(value).flatMap(([event, groups]) =>
        groups.flatMap((group) => group.hooks.map((hook) => hookPart(file, event, group, hook))),
      );
    return isObject(value)
      ? Object.entries(value).map(([inner, part]) => partOf(file, `${key}.${inner}`, part))
      : [partOf(file, key, value)];
  });
}

/** The same values with only the parts that `isIn` accepts. */
export function partsInForce(
  file: string,
  values: SettingsObject,
  isIn: (part: TrustedPart) => boolean,
): SettingsObject {
  const kept: SettingsObject = {};
  for (const [key, value] of Object.entries(values)) {
    if (!isObject(value)) {
      if (isIn(partOf(file, key, value))) kept[key] = value;
      continue;
    }
    const inner =
      key === "hooks" ? hooksInForce(file, value, isIn) : entriesInForce(file, key, value, isIn);
    if (inner.length > 0) kept[key] = Object.fromEntries(inner);
  }
  return kept;
}

function entriesInForce(
  file: string,
  key: string,
  value: SettingsObject,
  isIn: (part: TrustedPart) => boolean,
): [string, unknown][] {
  return Object.entries(value).filter(([name, part]) => isIn(partOf(file, `${key}.${name}`, part)));
}

function hooksInForce(
  file: string,
  value: SettingsObject,
  isIn: (part: TrustedPart) => boolean,
): [string, HookGroup[]][] {
  return groupsIn(value).flatMap(([event, groups]): [string, HookGroup[]][] => {
    const kept = groups
      .map((group) => ({
        ...group,
        hooks: group.hooks.filter((hook) => isIn(hookPart(file, event, group, hook))),
      }))
      .filter(({ hooks }) => hooks.length > 0);
    return kept.length > 0 ? [[event, kept]] : [];
  });
}

function groupsIn(hooks: SettingsObject): [event: string, groups: readonly HookGroup[]][] {
  // Validated with their layer.
  return Object.entries(hooks as HooksConfig);
}

function hookPart(
  file: string,
  event: string,
  { matcher }: HookGroup,
  hook: HookDefinition,
): TrustedPart {
  const value = matcher === undefined || matcher === "" ? hook : { matcher, ...hook };
  return partOf(file, `hooks.${event}`, value);
}

function partOf(file: string, setting: string, value: unknown): TrustedPart {
  return { file, setting, value };
}
