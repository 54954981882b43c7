/**
 * The people of the Cloud API. Somebody is known by their number; somebody who has a user name, and has hidden the number,
 * by an id that is theirs within one business (`US.13491208655302741918`).
 */
const NUMBER = /^\d{5,20}$/;
const BUSINESS_SCOPED = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

export function isNumber(id: unknown): id is string {
  return typeof id === "string" && NUMBER.test(id);
}

export function isBusinessScoped(id: unknown): id is string {
  return typeof id === "string" && BUSINESS_SCOPED.test(id);
}
