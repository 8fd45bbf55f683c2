import type { JsonObject, JsonValue } from "../../messages/message.ts";

/** Serialisation of a value: the styles of OpenAPI, which are those of RFC 6570 and three more. */
export interface ValueStyle {
  name: string;
  style: string;
  explode: boolean;
  /** Leaves `:/?@!$'()*,;` as they are in a query. */
  allowReserved: boolean;
  /** The value is sent as JSON text. */
  json: boolean;
}

type Encode = (text: string) => string;

/** Serialises a value as part of a path, percent-encoded: the styles `simple`, `label` and `matrix`. */
export function pathText(style: ValueStyle, value: JsonValue): string {
  const { name } = style;
  const encode: Encode = encodeURIComponent;
  if (style.json) return encode(JSON.stringify(value));
  if (style.style === "label")
    return `.${joined(value, style.explode, style.explode ? "." : ",", encode)}`;
  if (style.style !== "matrix") return joined(value, style.explode, ",", encode);
  const key = encode(name);
  if (!style.explode || !isCompound(value)) return `;${key}=${joined(value, false, ",", encode)}`;
  const pairs = Array.isArray(value)
    ? value.map((item) => `${key}=${encode(plain(item))}`)
    : fieldsOf(value).map(([field, item]) => `${encode(field)}=${encode(plain(item))}`);
  return pairs.map((pair) => `;${pair}`).join("");
}

/** Serialises a value as a header: the style `simple`. */
export function headerText(style: ValueStyle, value: JsonValue): string {
  if (style.json) return JSON.stringify(value);
  return joined(value, style.explode, ",", (text) => text);
}

/** Serialises a value as percent-encoded `name=value` pairs, for a query, a cookie or a form. */
export function pairs(style: ValueStyle, value: JsonValue): string[] {
  const encode: Encode = style.allowReserved ? encodeMost : encodeURIComponent;
  const key = encodeURIComponent(style.name);
  if (style.json) return [`${key}=${encode(JSON.stringify(value))}`];
  if (!isCompound(value)) return [`${key}=${encode(plain(value))}`];
  if (style.style === "deepObject" && !Array.isArray(value)) return deep(key, value, encode);
  if (!style.explode) {
    const delimiter = DELIMITERS[style.style] ?? ",";
    const whole = joined(value, false, delimiter, encode);
    return whole === "" ? [] : [`${key}=${whole}`];
  }
  return Array.isArray(value)
    ? value.map((item) => `${key}=${encode(plain(item))}`)
    : fieldsOf(value).map(([field, item]) => `${encodeURIComponent(field)}=${encode(plain(item))}`);
}

const DELIMITERS: Readonly<Record<string, string>> = {
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
};

function joined(value: JsonValue, explode: boolean, delimiter: string, encode: Encode): string {
  if (Array.isArray(value)) return value.map((item) => encode(plain(item))).join(delimiter);
  if (!isCompound(value)) return encode(plain(value));
  return fieldsOf(value)
    .map(([field, item]) => `${encode(field)}${explode ? "=" : delimiter}${encode(plain(item))}`)
    .join(delimiter);
}

function deep(key: string, value: JsonObject, encode: Encode): string[] {
  return fieldsOf(value).flatMap(([field, item]) => {
    const inner = `${key}%5B${encodeURIComponent(field)}%5D`;
    if (Array.isArray(item)) return item.map((part) => `${inner}=${encode(plain(part))}`);
    return isCompound(item) ? deep(inner, item, encode) : [`${inner}=${encode(plain(item))}`];
  });
}

/** No style defines nested values, so they are written as JSON. */
function plain(value: JsonValue): string {
  if (typeof value === "string") return value;
  return value === null ? "" : JSON.stringify(value);
}

function fieldsOf(value: JsonObject): [string, JsonValue][] {
  return Object.entries(value).filter(([, item]) => item !== null);
}

function isCompound(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === "object" && value !== null;
}

/** Keeps reserved characters, except those that would end a pair or the query. */
function encodeMost(text: string): string {
  return encodeURI(text).replaceAll(/[#&+=]/g, encodeURIComponent);
}
