/** People: persons and their identities, who asked to be let in, codes by their hashes, and wrong tries. */
import type { Dialect } from "../db.js";

export function people(dialect: Dialect): readonly string[] {
  const { int, text, autoId, tableEnd } = dialect;
  return [
    // The salt of all codes, made with the first one. Whoever changes anything about people holds this row.
    `CREATE TABLE people_state (
      one ${int} PRIMARY KEY CHECK (one = 1),
      salt ${text}
    ) ${tableEnd}`,
    "INSERT INTO people_state (one) VALUES (1)",

    `CREATE TABLE persons (
      number ${autoId},
      id ${text} NOT NULL UNIQUE,
      name ${text},
      created_at ${int} NOT NULL
    ) ${tableEnd}`,

    `CREATE TABLE identities (
      identity ${text} PRIMARY KEY,
      person_id ${text} NOT NULL REFERENCES persons (id),
      role ${text}
    ) ${tableEnd}`,
    "CREATE INDEX identities_by_person ON identities (person_id)",

    `CREATE TABLE pairings (
      identity ${text} PRIMARY KEY,
      platform ${text} NOT NULL,
      called ${text},
      code_hash ${text} NOT NULL UNIQUE,
      asked_at ${int} NOT NULL,
      expires_at ${int} NOT NULL,
      answers ${int} NOT NULL,
      denied ${int} NOT NULL
    ) ${tableEnd}`,
    "CREATE INDEX pairings_waiting ON pairings (platform, expires_at) WHERE denied = 0",

    `CREATE TABLE link_codes (
      identity ${text} PRIMARY KEY,
      code_hash ${text} NOT NULL UNIQUE,
      expires_at ${int} NOT NULL
    ) ${tableEnd}`,

    `CREATE TABLE tries (
      who ${text} PRIMARY KEY,
      wrong ${int} NOT NULL,
      last_at ${int} NOT NULL
    ) ${tableEnd}`,
    "CREATE INDEX tries_by_time ON tries (last_at)",
  ];
}
