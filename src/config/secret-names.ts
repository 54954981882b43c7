/** Which settings hold a secret. Their name says so, never their look: regions, models, packages and ids look the same. */

/** At the end: `TOKEN_TYPE` and `KEY_BACKEND` are settings. */
const SECRET_NAME =
  /(?:key|token|secret|password|passwd|passphrase|credential|dsn|auth|authorization|cookie|bearer|[_-]pat)s?(?:_id|_\d+)?$/i;

/** The path of a file is no secret, whatever it is called. */
export function holdsSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && !/^(?:\/|~\/|\.{1,2}\/)/.test(value);
}
