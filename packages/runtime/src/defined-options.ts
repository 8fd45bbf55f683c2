/** The options that were given, without those that are `undefined`: so that defaults which stand before them stay. */
export function definedOptions<Options extends object>(options: Options): Options {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  // Each option that can be left out can be left out here too.
  return Object.fromEntries(given) as Options;
}
