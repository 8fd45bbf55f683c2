/**
 * Reports whether characters are bytes, as the locale `C` says. Where no variable names a locale, they are those of UTF-8.
 * @param read the value of a variable
 */
export function countsBytes(read: (name: string) => string | undefined): boolean {
  const locale = read("LC_ALL") || read("LC_CTYPE") || read("LANG");
  return locale === "C" || locale === "POSIX";
}
