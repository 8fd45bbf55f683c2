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
  // A list of the keys would cost as much as the copy.
  for (const key in fields) {
    const value: unknown = Reflect.get(fields, key);
    if (value !== undefined && Object.hasOwn(fields, key)) given[key] = value;
  }
  return given as Defined<Fields>;
}
