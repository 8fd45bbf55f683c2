/** Parts of an id that do not change the model: a platform's prefix, a date, a version of the deployment. */
const PREFIX = /^.*(?:[/]|anthropic\.)/;
const SUFFIX = /(?:[-@]\d{8})?(?:-v\d+(?::\d+)?)?(?:-latest)?$/;

/** True for two ids of one model, such as an alias and its dated form. */
export function isSameModel(one: string, other: string): boolean {
  return one === other || plainId(one) === plainId(other);
}

function plainId(model: string): string {
  return model.replace(PREFIX, "").replace(SUFFIX, "");
}
