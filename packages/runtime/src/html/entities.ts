/** U+00A0 to U+00FF in order. HTML lets these, and those of ASCII, end without a semicolon. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const ASCII = 'amp & AMP & lt < LT < gt > GT > quot " QUOT " COPY © REG ®';
/** From U+0391 in order; small letters, with the final sigma, follow from U+03B1. */
const GREEK =
  "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigmaf Sigma Tau Upsilon Phi Chi Psi Omega";
const OTHERS =
  "apos ' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ thetasym ϑ upsih ϒ piv ϖ ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200C zwj \u200D lrm \u200E rlm \u200F ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lang ⟨ rang ⟩ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦";

const withoutSemicolon = new Map([...pairs(ASCII), ...inOrder(LATIN, 0xa0)]);
const named = new Map([
  ...withoutSemicolon,
  ...inOrder(GREEK.replace("Sigmaf", "-"), 0x391),
  ...inOrder(GREEK.toLowerCase(), 0x3b1),
  ...pairs(OTHERS),
]);
const LONGEST_WITHOUT_SEMICOLON = 6;
const REFERENCE = /&(?:#(\d+|x[\da-f]+)|([a-z][a-z\d]*))(;?)/gi;
/** Code points of C1 controls mean the characters that windows-1252 has there. */
const windows1252 = new TextDecoder("windows-1252");

/** Replaces the character references of HTML 4, and numeric ones, as the HTML standard says; others stay as they are. */
export function decodeReferences(text: string, isAttribute = false): string {
  if (!text.includes("&")) return text;
  return text.replace(
    REFERENCE,
    (whole, number: string | undefined, name: string, end: string, at: number) => {
      if (number !== undefined) return characterOf(number.replace(/^x/i, "0x"));
      const character = end && named.get(name);
      if (character) return character;
      for (let length = Math.min(name.length, LONGEST_WITHOUT_SEMICOLON); length > 1; length -= 1) {
        const start = withoutSemicolon.get(name.slice(0, length));
        if (start === undefined) continue;
        const rest = text.slice(at + 1 + length);
        // An address such as `?a=1&copy=2` has no such references.
        return isAttribute && /^[=a-z\d]/i.test(rest) ? whole : start + name.slice(length) + end;
      }
      return whole;
    },
  );
}

function characterOf(number: string): string {
  const code = Number(number);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  if (code >= 0x80 && code <= 0x9f) return windows1252.decode(new Uint8Array([code]));
  return String.fromCodePoint(code);
}

function pairs(list: string): [string, string][] {
  const words = list.split(" ");
  return words.flatMap((word, index) =>
    index % 2 === 0 ? [[word, words[index + 1] ?? ""] satisfies [string, string]] : [],
  );
}

function inOrder(list: string, first: number): [string, string][] {
  return list.split(" ").map((name, index) => [name, String.fromCodePoint(first + index)]);
}
