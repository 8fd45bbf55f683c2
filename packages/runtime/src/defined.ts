/** The members of `Fields`, where those that may be `undefined` are optional instead. */
export type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<
    Fields[Key],
    undefined
  >;
};

/** Copies an object without its undefined members, which would replace defaults and count as present keys of a record. */
export function defined<const Fields extends object>(fields: Fields): Defined<Fields> {
  const given: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    const value: unknown = Reflect.get(fields, key);
    if (value !== undefined) given[key] = value;
  }
  return given as Defined<Fields>;
}
