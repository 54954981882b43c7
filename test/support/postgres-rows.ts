/**
 * The rows of a database as they are now, to be brought back after each test: to make the tables anew takes ten times as
 * long. Tests that change tables need a database of their own.
 */
import pg from "pg";

export interface KeptRows {
  /** Ends every other connection, and brings back the rows and the next ids. */
  bringBack(): Promise<void>;
  close(): Promise<void>;
}

const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;

const KEEP = `DO $$
DECLARE name text; filled boolean;
BEGIN
  CREATE SCHEMA kept;
  CREATE TABLE kept_ids AS SELECT schemaname, sequencename, start_value, last_value FROM pg_sequences WHERE schemaname = 'baton';
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'baton' LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM baton.%I)', name) INTO filled;
    IF filled THEN EXECUTE format('CREATE TABLE kept.%I AS TABLE baton.%I', name, name); END IF;
  END LOOP;
END $$`;

/** As a replica does it: no foreign key is looked at meanwhile. */
const BRING_BACK = `DO $$
DECLARE name text;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'baton' LOOP
    EXECUTE format('DELETE FROM baton.%I', name);
  END LOOP;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'kept' LOOP
    EXECUTE format('INSERT INTO baton.%I OVERRIDING SYSTEM VALUE TABLE kept.%I', name, name);
  END LOOP;
  PERFORM setval(format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value IS NOT NULL)
    FROM kept_ids;
END $$`;

export async function keepRows(url: string): Promise<KeptRows> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(KEEP);
  return {
    bringBack: async () => {
      await client.query(END_OTHERS);
      await client.query(BRING_BACK);
    },
    close: () => client.end(),
  };
}
