/** More checks of `baton doctor`: people, secrets, logs, backups and the service. */
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.js";
import { secretsOf } from "../config/secrets.js";
import { sharedDms } from "../config/shared-dms.js";
import { unmatchableIds } from "../config/unmatchable-ids.js";
import { archivedLogs, currentLog, logFolder } from "../log/rotating-file.js";
import { BatonError } from "../session/errors.js";
import { fileSentence } from "../util/file-problem.js";
import type { Finding } from "../util/finding.js";
import { counted, relativeTime } from "../util/words.js";
import { backupFolder } from "./backup.js";
import type { Backups, Cli } from "./cli.js";
import { CliError } from "./failure.js";
import { quoted } from "./options.js";
import { environmentFile } from "./service/description.js";

const BACKUP_IS_OLD_MS = 7 * 86_400_000;

export async function careFindings(cli: Cli, config: Config): Promise<Finding[]> {
  const { home } = cli;
  const looks: [string, () => Finding[] | Promise<Finding[]>][] = [
    ["people", () => peopleFindings(cli, config)],
    ["secrets", () => secretFindings(home, config)],
    ["logs", () => [logFinding(home)]],
    ["backup", () => backupFinding(cli, config, Date.now())],
    ["service", async () => [await serviceFinding(cli, config)]],
  ];
  const findings: Finding[] = [];
  for (const [check, look] of looks) {
    try {
      findings.push(...(await look()));
    } catch (error) {
      const fix = "give the user that runs Baton read access, then run `baton doctor` again";
      findings.push({ check, status: "broken", finding: fileSentence(error), fix });
    }
  }
  return findings;
}

/** People who share a conversation, of the configuration and of the store. */
async function peopleFindings(cli: Cli, config: Config): Promise<Finding[]> {
  const nobodys = unmatchableIds(config).map(
    ({ message, fix }): Finding => ({
      check: "people",
      status: "warning",
      finding: message,
      fix,
    }),
  );
  return [...nobodys, ...(await sharedFindings(cli, config))];
}

async function sharedFindings(cli: Cli, config: Config): Promise<Finding[]> {
  if (config.sessions.scopes?.dm !== "platform") return []; // Nobody does, so the store stays closed.
  const shared = sharedDms(config, await knownPeople(cli, config));
  if (shared === null) return [];
  return [{ check: "people", status: "warning", finding: shared.message, fix: shared.fix }];
}

async function knownPeople(cli: Cli, config: Config): Promise<string[]> {
  try {
    const { people, close } = await cli.openPeople(config, "look");
    try {
      const everybody = (await people.store.list()).filter((person) => people.roleOf(person) !== null);
      return everybody.flatMap(({ identities }) => identities.map(({ identity }) => identity));
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    return []; // The check `store` reports what is wrong.
  }
}

/** Secret files that others can read, and secrets that can't be read at all. */
function secretFindings(home: string, config: Config): Finding[] {
  const check = "secrets";
  const files = [...filesIn(join(home, "secrets")), environmentFile(home)].filter((file) => existsSync(file));
  const open = files.filter(isOpen);
  const named = secretsOf({ ...config, store: null });
  const reasons = named.flatMap((secret) => {
    try {
      secret.reveal();
      return [];
    } catch (error) {
      const { message } = error as Error;
      return open.some((file) => message.includes(file)) ? [] : [message];
    }
  });
  const unusable = [...new Set(reasons)].map((finding): Finding => {
    return { check, status: "broken", finding, fix: "put the secret into that file, or run `baton setup`" };
  });
  if (open.length > 0) {
    const finding = `other users can read ${open.join(", ")}`;
    return [
      { check, status: "warning", finding, fix: `chmod 600 ${open.map(quoted).join(" ")}` },
      ...unusable,
    ];
  }
  if (unusable.length > 0) return unusable;
  const count = new Set([...files, ...named.flatMap(({ file }) => file ?? [])]).size;
  const finding = count === 0 ? "no secret files" : `${counted(count, "file")}, private`;
  return [{ check, status: "ok", finding }];
}

function logFinding(home: string): Finding {
  const check = "logs";
  const folder = logFolder(home);
  if (!existsSync(folder))
    return { check, status: "ok", finding: `${folder} does not exist yet; the gateway creates it` };
  const files = [...archivedLogs(folder), currentLog(folder)].filter((file) => existsSync(file));
  const closed = [folder, ...files.slice(-1)].filter((path) => !isWritable(path));
  if (closed.length > 0) {
    const fix = `give the user that runs Baton write access: chmod u+rwX ${closed.map(quoted).join(" ")}`;
    return { check, status: "warning", finding: `${closed.join(", ")} can't be written`, fix };
  }
  const open = [folder, ...files].filter(isOpen);
  if (open.length > 0) {
    const finding = `other users can read ${open.join(", ")}`;
    return { check, status: "warning", finding, fix: `chmod go-rwx ${open.map(quoted).join(" ")}` };
  }
  return { check, status: "ok", finding: `${folder} is private and writable` };
}

/** Only for a store that is a file and exists. */
async function backupFinding(cli: Cli, config: Config, now: number): Promise<Finding[]> {
  const check = "backup";
  const backups = await storeBackups(cli, config);
  if (!backups || !existsSync(backups.store)) return [];
  const made = filesIn(backupFolder(cli.home))
    .filter((file) => file.endsWith(".db"))
    .map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const last = Math.max(0, ...made);
  const finding = last === 0 ? "none yet" : `the last one is from ${relativeTime(last, now)}`;
  if (now - last < BACKUP_IS_OLD_MS) return [{ check, status: "ok", finding }];
  return [{ check, status: "hint", finding, fix: "baton backup" }];
}

async function storeBackups(cli: Cli, config: Config): Promise<Backups | null> {
  try {
    return await cli.backups(config.store.reveal());
  } catch {
    return null; // The check `store` reports what is wrong.
  }
}

async function serviceFinding(cli: Cli, config: Config): Promise<Finding> {
  const check = "service";
  const { runAll, serviceManager } = await import("./service/manager.js");
  const { refuseOthers } = await import("./service/install.js");
  try {
    const manager = serviceManager();
    if (refuseOthers(manager) === null) {
      const finding = "not installed; the gateway runs only while you run it yourself";
      const hasPlatforms = (await cli.openPlatforms(config)).adapters.length > 0;
      return hasPlatforms
        ? { check, status: "hint", finding, fix: "baton service install" }
        : { check, status: "ok", finding };
    }
    if ((await runAll([manager.isActive])).done)
      return { check, status: "ok", finding: "installed and running" };
    const finding = "installed, but not running";
    return {
      check,
      status: "warning",
      finding,
      fix: "run `baton logs` to see why, then `baton service install` again",
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { check, status: "ok", finding: error.message }; // Not our file, or no service manager that Baton knows.
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // The reason is the answer.
  }
}
