/** `baton service`: the gateway as a service of this user. Each verb is loaded when it is asked for. */
import type { Command } from "commander";
import type { Cli } from "../cli.js";
import { examples, jsonOption } from "../options.js";
import type { InstallOptions } from "./install.js";

export function addService(program: Command, cli: Cli): void {
  const service = program
    .command("service")
    .description("run the gateway as a service of this user")
    .addHelpText("after", examples("service install"));
  const install = service
    .command("install")
    .description("run the gateway as a service of this user, now and after each start of the machine")
    .option("--print", "only print the file that would describe it")
    .addHelpText("after", examples("service install", "service install --print"));
  jsonOption(install).action(async (options: InstallOptions) =>
    (await import("./install.js")).install(cli, options),
  );
  const uninstall = service
    .command("uninstall")
    .description("stop the service and take it away; conversations and settings stay")
    .addHelpText("after", examples("service uninstall"));
  jsonOption(uninstall).action(async (options: { json?: boolean }) =>
    (await import("./uninstall.js")).uninstall(cli, options),
  );
  const status = service
    .command("status")
    .description("tell whether the service is installed and runs; exit code 0 where it does, else 1")
    .addHelpText("after", examples("service status"));
  jsonOption(status).action(async (options: { json?: boolean }) =>
    (await import("./status.js")).status(cli, options),
  );
}
