/** How a person is named on the command line. */
import { InvalidArgumentError } from "commander";
import { isRole, ROLES, type Role } from "../../gateway/permissions.js";
import { identityNamed } from "../../session/access.js";
import { platforms, unmatchableId } from "../../session/platform.js";
import { unescapePart } from "../../util/escape.js";
import { examplePlatform, platform } from "../options.js";

/** `platform:id`; the id may be escaped, as `people list` shows it. */
export function identity(text: string): string {
  const [, name = "", id = ""] = /^([^:]*):(.+)$/s.exec(text) ?? [];
  if (id === "") throw new InvalidArgumentError(`Use <platform>:<user id>, such as ${EXAMPLE_IDENTITY}.`);
  const whose = unescapePart(id) ?? id;
  const mistake = unmatchableId(platform(name), whose);
  if (mistake !== null) throw new InvalidArgumentError(mistake);
  return identityNamed(platform(name), whose);
}

/** A person by id, or by one of their identities. */
export function whom(text: string): string {
  return /^p_[0-9a-f]+$/.test(text) ? text : identity(text);
}

export function role(text: string): Role {
  const name = text.toLowerCase();
  if (isRole(name)) return name;
  throw new InvalidArgumentError(`Use one of ${ROLES.join(", ")}.`);
}

export const EXAMPLE_IDENTITY = `${examplePlatform()}:123456789`;
export const OTHER_IDENTITY = `${platforms().at(2)}:987654321`;
