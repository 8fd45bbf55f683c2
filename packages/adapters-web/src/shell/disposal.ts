// Safari knows neither symbol. First of the worker's imports: classes take their names when they are defined.
for (const name of ["dispose", "asyncDispose"] as const)
  if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });

export {};
