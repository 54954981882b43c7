/** `baton doctor`: checks the setup, and says how to fix what is wrong. */
import { existsSync, lstatSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.js";
import { BatonError } from "../session/errors.js";
import { fileReason, fileSentence } from "../util/file-problem.js";
import type { Finding } from "../util/finding.js";
import { printableText } from "../util/text.js";
import { counted } from "../util/words.js";
import { type Cli, withLanes } from "./cli.js";
import { CliError } from "./failure.js";
import { installCommand } from "./on-path.js";
import { quoted } from "./options.js";
import type { Terminal } from "./terminal.js";

interface DoctorOptions {
  readonly json?: boolean;
  /** Asks neither the model nor the platforms. */
  readonly offline?: boolean;
}

export async function doctor(cli: Cli, options: DoctorOptions): Promise<void> {
  const findings = [
    nodeFinding(cli.oldestNode),
    ...commandFindings(cli),
    homeFinding(cli.home),
    await gatewayFinding(cli.home),
  ];
  const config = await configured(cli, findings);
  findings.push(...(await variableFindings(cli)));
  const { careFindings } = await import("./care.js");
  const { reachFindings } = await import("./reach.js");
  if (config) {
    findings.push(
      ...(await storeFindings(cli, config)),
      ...(await sharingFindings(cli, config)),
      ...(await scopeFindings(cli)),
      ...(await cli.inspectSandbox(config)),
      ...(await cli.inspectEnvironments(config)),
      ...(await cli.inspectProcesses(config)),
      ...(await jobFindings(cli, config)),
    );
    const doing = (what: string): void => {
      if (!options.json) cli.terminal.progress(what);
    };
    doing("Starting the MCP servers. One that installs itself may take minutes…");
    findings.push(...(await cli.inspectMcp(config)), ...(await careFindings(cli, config)));
    doing("Asking the model and the platforms…");
    findings.push(...(await reachFindings(cli, config, options)));
    doing("");
  }
  const told = secretsToldOnce(findings);
  const broken = told.filter((finding) => finding.status === "broken").length;
  if (options.json) cli.terminal.json({ ok: broken === 0, findings: told });
  else printFindings(cli.terminal, told);
  if (broken > 0) throw new CliError("unwell", `Fix the ${counted(broken, "problem")} above.`);
}

/** Why a secret can't be used is said once, and not again by everything that needs it. */
function secretsToldOnce(findings: readonly Finding[]): Finding[] {
  const told = findings.flatMap(({ check, status, finding }) =>
    check === "secrets" && status === "broken" ? [finding.replace(/\.$/, "")] : [],
  );
  return findings.map((one) => {
    const sentence = told.find((words) => one.check !== "secrets" && one.finding.includes(words));
    if (sentence === undefined) return one;
    const finding = one.finding.replace(sentence, "its secret can't be used");
    return { check: one.check, status: "hint", finding, fix: "mend what `secrets` says above" };
  });
}

function nodeFinding(oldest: string): Finding {
  const { node } = process.versions;
  const enough = node.localeCompare(oldest, "en", { numeric: true }) >= 0;
  return enough
    ? { check: "Node.js", status: "ok", finding: node }
    : {
        check: "Node.js",
        status: "broken",
        finding: `${node} is too old`,
        fix: `install Node.js ${oldest} or later`,
      };
}

function commandFindings(cli: Cli): Finding[] {
  const fix = installCommand(cli);
  if (fix === null) return [];
  const finding = `baton is not on your PATH; it was started as ${cli.terminal.command}`;
  return [{ check: "command", status: "hint", finding, fix }];
}

function homeFinding(home: string): Finding {
  const check = "home";
  let folder: Stats | undefined;
  try {
    folder = statSync(home, { throwIfNoEntry: false });
  } catch (error) {
    const finding = `Baton can't look into ${home}: ${fileReason(error)}`;
    return {
      check,
      status: "broken",
      finding,
      fix: "give the user that runs Baton access to the folders above it, or set BATON_HOME",
    };
  }
  if (!folder && lstatSync(home, { throwIfNoEntry: false })) {
    const finding = `${home} is a link to a folder that does not exist`;
    return { check, status: "broken", finding, fix: "create that folder, or set BATON_HOME" };
  }
  const problem = folder && !folder.isDirectory() ? null : writeProblem(nearestFolder(home));
  if (problem !== null) {
    const finding = `${home} can't be ${folder ? "written" : "created"}: ${problem}`;
    return {
      check,
      status: "broken",
      finding,
      fix: "give the user that runs Baton write access, or set BATON_HOME",
    };
  }
  if (!folder)
    return { check, status: "ok", finding: `${home} does not exist yet; Baton creates it when needed` };
  if (!folder.isDirectory()) {
    return {
      check,
      status: "broken",
      finding: `${home} is not a folder`,
      fix: "move the file away, or set BATON_HOME",
    };
  }
  const mode = (folder.mode & 0o777).toString(8).padStart(4, "0");
  if ((folder.mode & 0o077) === 0) return { check, status: "ok", finding: `${home} is private (${mode})` };
  const finding = `${home} is open to other users (${mode})`;
  return { check, status: "warning", finding, fix: `chmod 700 ${quoted(home)}` };
}

/** The folder itself, or the first one above it that exists. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Tries to write into a folder: why that fails, or null if it works. */
function writeProblem(folder: string): string | null {
  const probe = join(folder, `.doctor-${process.pid}`);
  try {
    try {
      writeFileSync(probe, "Can Baton write here?\n", { flag: "wx", mode: 0o600 });
    } finally {
      rmSync(probe, { force: true });
    }
    return null;
  } catch (error) {
    return fileReason(error);
  }
}

async function gatewayFinding(home: string): Promise<Finding> {
  const check = "gateway";
  const { homeHolder, homeLockFile } = await import("../gateway/home-lock.js");
  try {
    const holder = homeHolder(home, Date.now());
    const finding = holder ? `process ${holder.pid} on ${holder.host}, since ${holder.since}` : "not running";
    return { check, status: "ok", finding };
  } catch (error) {
    const fix = `if no gateway is running, rm ${quoted(homeLockFile(home))}`;
    return { check, status: "broken", finding: fileSentence(error), fix };
  }
}

/** Accounts that share conversations; empty if the store can't be opened, which another check reports. */
async function sharingFindings(cli: Cli, config: Config): Promise<Finding[]> {
  const { sharing } = await cli.platformStates(config).catch((error: unknown) => {
    if (error instanceof BatonError) return { sharing: [] };
    throw error;
  });
  return sharing.map((finding) => ({
    check: "accounts",
    status: "warning",
    finding,
    fix: "baton config set scopes.agent <name>",
  }));
}

/** Conversations that new messages do not reach; empty if the store can't be opened, which another check reports. */
async function scopeFindings(cli: Cli): Promise<Finding[]> {
  const { scopeProblem } = await import("../gateway/scope-memory.js");
  try {
    const found = await withLanes(cli, "look", async (open) => scopeProblem(await open.stranded()));
    return found ? [{ check: "scopes", status: "warning", finding: found.problem, fix: found.command }] : [];
  } catch (error) {
    if (error instanceof BatonError) return [];
    throw error;
  }
}

/** Jobs that are late, or that nobody would run; empty if the store can't be opened, which another check reports. */
async function jobFindings(cli: Cli, config: Config): Promise<Finding[]> {
  const check = "jobs";
  const { activeWords, jobsWarning, unattendedWords } = await import("../gateway/jobs/describe.js");
  try {
    const { desk, close } = await cli.openJobs(config, "look");
    try {
      const [jobs, now] = [await desk.list(null), Date.now()];
      const scheduler = await desk.scheduler();
      const warning = jobsWarning(jobs, scheduler, now);
      if (warning === null)
        return [{ check, status: "ok", finding: activeWords(jobs, now) ?? "no active scheduled jobs" }];
      const fix =
        unattendedWords(scheduler, now) === null
          ? "run `baton logs` to see why the gateway does not begin them"
          : "start `baton gateway`, or install it as a service with `baton service install`";
      return [{ check, status: "warning", finding: warning, fix }];
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof BatonError) return [];
    throw error;
  }
}

async function configured(cli: Cli, findings: Finding[]): Promise<Config | null> {
  const check = "config";
  try {
    const config = await cli.loadConfig();
    const finding = config.files.length > 0 ? config.files.join(", ") : "no config file; defaults apply";
    findings.push({ check, status: "ok", finding });
    return config;
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    findings.push(
      {
        check,
        status: "broken",
        finding: error.message,
        fix: "correct that; Baton does not run until its settings are valid",
      },
      {
        check: "store",
        status: "warning",
        finding: "not checked: the configuration says where it is",
        fix: "fix the configuration, then run `baton doctor` again",
      },
    );
    return null;
  }
}

async function variableFindings({ environment }: Cli): Promise<Finding[]> {
  const { SETS_NOTHING, unknownVariables } = await import("../config/unknown-variables.js");
  return unknownVariables(environment.variables).map(({ variable, meant }) => ({
    check: "config",
    status: "warning",
    finding: `${variable}: ${SETS_NOTHING}`,
    fix: meant === null ? "unset it" : `rename it to ${meant}, or unset it`,
  }));
}

/** Whatever is wrong with the store, the other findings are still printed. */
async function storeFindings(cli: Cli, config: Config): Promise<Finding[]> {
  try {
    return await cli.inspectStore(config);
  } catch (error) {
    const fix = "fix the setting `store`, or the file it names, then run `baton doctor` again";
    return [{ check: "store", status: "broken", finding: fileSentence(error), fix }];
  }
}

function printFindings(terminal: Terminal, findings: readonly Finding[]): void {
  const { paint } = terminal;
  const signs = {
    ok: paint.green("✓"),
    hint: paint.cyan("·"),
    warning: paint.yellow("!"),
    broken: paint.red("✗"),
  };
  const width = Math.max(...findings.map((finding) => finding.check.length));
  for (const looked of findings) {
    const { check, status, finding } = looked;
    const indent = " ".repeat(width + 4);
    const text = printableText(finding).replaceAll("\n", `\n${indent}`);
    terminal.line(`${signs[status]} ${paint.bold(check.padEnd(width))}  ${text}`);
    if (looked.status !== "ok")
      terminal.line(`${indent}${paint.dim("→")} ${terminal.named(printableText(looked.fix))}`);
  }
  if (findings.every(({ status }) => status === "ok" || status === "hint"))
    terminal.line("\nEverything is fine.");
}
