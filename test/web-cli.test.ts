/** `baton web`: a link to a page that a gateway serves, or the page itself; what it refuses, and when a browser opens. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { homeLockFile, takeHome } from "../src/gateway/home-lock.js";
import { openStore } from "../src/open-sessions.js";
import { baton, makeHome } from "./support/baton.js";
import { ANN, BOB, freePort, PageGateway } from "./support/page-gateway.js";
import { enterBy, signInBy } from "./support/page-sign-in.js";
import { keyIn } from "./support/sign-in-world.js";
import { LOOPBACK_PEM } from "./support/web-call.js";
import { killAll, PtyChat, pty } from "./terminal/pty-chat.js";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const TERMINAL = "local:terminal";
const LINK = /^https?:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{22}$/m;

const linkIn = (text: string): string => LINK.exec(text)?.[0] ?? expect.unreachable(`No link: ${text}`);
const configure = (home: string, settings: object): void =>
  writeFileSync(join(home, "config.yaml"), JSON.stringify(settings), { mode: 0o600 }); // JSON is YAML.

interface ToldPage {
  readonly url: string;
  readonly link: string;
  readonly expiresAt: string;
}

describe("beside a gateway that serves the page, baton web", () => {
  let gateway: PageGateway;
  beforeAll(async () => {
    gateway = await PageGateway.start();
  });
  afterAll(async () => {
    killAll();
    await gateway?.close();
  });

  const web = (...words: string[]) => baton(gateway.home, ["web", ...words]);
  const told = async (...words: string[]) => {
    const { stdout, stderr, code } = await web(...words, "--json");
    return { code, page: code === 0 ? (JSON.parse(stdout) as ToldPage) : null, stderr };
  };
  const linkFor = async (...words: string[]) => (await told(...words)).page?.link ?? expect.unreachable();

  test("prints a link that signs in the person at this machine, once", async () => {
    const { code, stdout, stderr } = await web();
    expect([code, stderr]).toEqual([0, ""]);
    const link = linkIn(stdout);
    expect(stdout).toBe(`Open this link to sign in. It works once, for 5 minutes:\n${link}\n`);
    expect(link).toContain(`${gateway.url}/#key=`);
    const { me } = await signInBy(link);
    expect(me).toMatchObject({ identity: TERMINAL, role: "owner" });
    const again = await enterBy(link);
    expect([again.status, again.outcome]).toEqual([403, "link_over"]);
    expect(again.headers["set-cookie"]).toBeUndefined();
  });

  test("--json says where the page is, and until when the link is valid", async () => {
    const before = Date.now();
    const { page } = await told();
    expect(page).toEqual({
      url: gateway.url,
      link: expect.stringMatching(LINK),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const expiresAt = Date.parse(page?.expiresAt ?? "");
    expect(expiresAt).toBeGreaterThanOrEqual(before + 5 * 60_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 5 * 60_000);
    const entered = await Promise.all([enterBy(page?.link ?? ""), enterBy(page?.link ?? "")]);
    expect(entered.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  test("--for makes a link for somebody who has access, in any spelling", async () => {
    const { stdout } = await web("--for", `Telegram:${BOB}`);
    expect(stdout).toContain(`Open this link to sign in as telegram:${BOB}. It works once`);
    expect((await signInBy(linkIn(stdout))).me).toMatchObject({
      identity: `telegram:${BOB}`,
      role: "member",
    });
    expect((await signInBy(await linkFor("--for", `telegram:${ANN}`))).me.role).toBe("owner");
    expect((await signInBy(await linkFor("--for", TERMINAL))).me.identity).toBe(TERMINAL);
  });

  test("--for takes the id of a person, and any of their accounts", async () => {
    const identity = "matrix:@bob%3Ab.org";
    const { stdout } = await baton(gateway.home, ["people", "link", `telegram:${BOB}`, identity, "--json"]);
    const [person] = /p_[0-9a-f]+/.exec(stdout) ?? [];
    expect((await signInBy(await linkFor("--for", "matrix:@bob:b.org"))).me).toMatchObject({
      identity,
      role: "member",
    });
    const { me } = await signInBy(await linkFor("--for", person ?? ""));
    expect([identity, `telegram:${BOB}`]).toContain(me.identity);
  });

  test.each([
    ["telegram:999", "person_not_found", 1],
    ["p_00000000ff", "person_not_found", 1],
    ["nobody", "usage", 2],
    ["telegrm:1", "usage", 2],
  ] as const)("--for %s, whom nobody knows, is refused", async (who, code, exitCode) => {
    const { stderr, ...run } = await told("--for", who);
    expect([run.code, JSON.parse(stderr).error.code]).toEqual([exitCode, code]);
  });

  test("--for somebody without access makes no link", async () => {
    const { store, sessions } = await openStore({ url: join(gateway.home, "baton.db") });
    await store.people.join("telegram:300", "discord:300", "p_0000000300", Date.now());
    await sessions.close();
    for (const who of ["telegram:300", "p_0000000300"]) {
      const { code, stdout, stderr } = await web("--for", who);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: "",
        stderr: `baton: ${who} has no access, so a link would let nobody in. Give them access first: \`baton people role ${who} guest\`.\n`,
      });
    }
    expect((await told("--for", "telegram:300")).stderr).toContain('"no_access"');
    expect((await baton(gateway.home, ["people", "role", "telegram:300", "guest"])).code).toBe(0);
    for (const identity of ["telegram:300", "discord:300"])
      expect((await signInBy(await linkFor("--for", identity))).me).toMatchObject({
        identity,
        role: "guest",
      });
  });

  test("--port is refused, unless it is the port of that page", async () => {
    const { stdout, stderr, code } = await web("--port", `${gateway.port - 1}`);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `baton: A running gateway serves the page at ${gateway.url}. Leave out --port, or stop that gateway first.\n`,
    });
    expect(await linkFor("--port", `${gateway.port}`)).toContain(gateway.url);
  });

  test("and no link is in any file", async () => {
    const links = [await linkFor(), await gateway.linkFor(ANN)];
    await enterBy(links[0] ?? "");
    const files = readdirSync(gateway.home, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const written = files.map(({ parentPath, name }) =>
      readFileSync(join(parentPath, name)).toString("latin1"),
    );
    expect(written.join("")).toContain(`telegram:${ANN}`);
    for (const link of links) expect(written.filter((text) => text.includes(keyIn(link)))).toEqual([]);
  });

  /** What opens addresses: it notes them. */
  const opener = (): string => {
    const folder = join(gateway.home, "..", "bin");
    mkdirSync(folder, { recursive: true });
    for (const name of ["xdg-open", "open"]) {
      writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$1" >> "$HOME/opened"\n`);
      chmodSync(join(folder, name), 0o755);
    }
    return `${folder}:${process.env.PATH}`;
  };

  test("into a pipe prints the link, also where a browser could open", async () => {
    const { stdout } = await baton(gateway.home, ["web"], { env: { DISPLAY: ":0", PATH: opener() } });
    expect(stdout).toMatch(LINK);
  });

  describe.skipIf(!pty)(
    `in a terminal${pty ? "" : " (NOT TESTED: the prebuilt PTY does not load here)"}`,
    () => {
      const opened = (): string => {
        const file = join(gateway.home, "..", "opened");
        return existsSync(file) ? readFileSync(file, "utf8") : "";
      };
      /** Everything that is printed there. The shell waits until that was seen. */
      const shown = async (words: string, environment: string): Promise<string> => {
        const home = `BATON_HOME='${gateway.home}' HOME='${join(gateway.home, "..")}'`;
        const web = `${home} ${environment} '${process.execPath}' '${MAIN}' web ${words}`;
        const terminal = new PtyChat({
          columns: 120,
          rows: 10,
          shell: `${web}; echo "ended with $?."; read -r _`,
        });
        await terminal.until(() => /ended with \d+\./.test(terminal.raw));
        terminal.type("\r");
        await terminal.exited;
        const [said = "", code] = terminal.raw.replaceAll("\r\n", "\n").split("ended with ");
        expect(code).toMatch(/^0\./);
        return said;
      };

      test("opens the browser, and shows no link", async () => {
        const said = await shown("", `DISPLAY=:0 PATH='${opener()}'`);
        expect(said).toMatch(new RegExp(`^Opened ${gateway.url} in your browser\\.\n`));
        expect(said).not.toContain("key=");
        await expect.poll(opened).toMatch(/\n$/);
        expect(opened()).toMatch(LINK);
        expect((await signInBy(opened().trim())).me.identity).toBe(TERMINAL);
      });

      test.each([
        ["--no-open", "--no-open", "DISPLAY=:0"],
        ["a link for somebody else", `--for telegram:${BOB}`, "DISPLAY=:0"],
        ["SSH", "", "DISPLAY=:0 SSH_CONNECTION='10.0.0.1 1 10.0.0.2 22'"],
      ])("with %s it prints the link", async (_, words, environment) => {
        expect(await shown(words, `${environment} PATH='${opener()}'`)).toMatch(LINK);
      });

      test("without a program that opens it, it prints the link", async () => {
        expect(await shown("", "DISPLAY=:0 PATH=/nowhere")).toMatch(LINK);
      });
    },
  );
});

describe("without a gateway, baton web", () => {
  const running: ChildProcess[] = [];
  let home: string;
  let port: number;
  beforeEach(async () => {
    home = makeHome();
    port = await freePort();
  });
  afterAll(() => {
    for (const child of running) child.kill("SIGKILL");
  });

  /** Goes on until it is stopped. */
  function start(...words: string[]) {
    const child = spawn(process.execPath, [MAIN, "web", ...words], {
      cwd: join(home, "..", "work"),
      env: { PATH: process.env.PATH ?? "", HOME: join(home, ".."), TZ: "UTC", BATON_HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push(child);
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
        child.emit("said");
      });
    const ended = once(child, "close").then(([code, signal]) => code ?? signal);
    const until = async (holds: () => boolean): Promise<void> => {
      const closed = ended.then((how) => Promise.reject(new Error(`It ended with ${how}: ${output.stderr}`)));
      closed.catch(() => {});
      while (!holds()) await Promise.race([once(child, "said"), closed]);
    };
    const stop = (): Promise<unknown> => {
      child.kill("SIGINT");
      return ended;
    };
    return { output, until, stop };
  }

  test("serves the page until Ctrl-C, and prints the link", async () => {
    const { output, until, stop } = start("--no-open", "--port", `${port}`);
    await until(() => LINK.test(output.stdout));
    const link = linkIn(output.stdout);
    expect(output.stdout).toContain("Open this link to sign in. It works once, for 5 minutes:\n");
    expect(output.stdout).toContain(`The page is at http://127.0.0.1:${port}. Run \`baton web\` to sign in.`);
    expect(link).toContain(`http://127.0.0.1:${port}/#key=`);
    expect((await baton(home, ["gateway", "status"])).code).toBe(0);
    expect((await signInBy(link)).me).toMatchObject({ identity: TERMINAL, role: "owner" });
    expect((await enterBy(link)).outcome).toBe("link_over");
    expect(await stop()).toBe(0);
    expect(output.stdout).toMatch(/The gateway has stopped\.\n$/);
    expect(output.stderr).toBe("");
    await expect(enterBy(link)).rejects.toThrow("ECONNREFUSED");
    expect((await baton(home, ["gateway", "status"])).code).toBe(1);
    expect(readFileSync(join(home, "logs", "baton.log"), "utf8")).not.toContain(keyIn(link));
  });

  test("--json prints nothing else; another one beside it gives another link to the same page", async () => {
    configure(home, { web: { port } });
    const { output, until, stop } = start("--json");
    await until(() => output.stdout.endsWith("}\n"));
    const first = JSON.parse(output.stdout) as ToldPage;
    expect(first.url).toBe(`http://127.0.0.1:${port}`);
    const second = JSON.parse((await baton(home, ["web", "--json"])).stdout) as ToldPage;
    expect(second.url).toBe(first.url);
    expect(second.link).not.toBe(first.link);
    for (const { link } of [first, second]) expect((await enterBy(link)).status).toBe(200);
    expect(await stop()).toBe(0);
    expect(JSON.parse(output.stdout)).toEqual(first);
  });

  test("speaks TLS if there is a certificate", async () => {
    const pem = fileURLToPath(LOOPBACK_PEM);
    configure(home, { web: { port, tls: { certFile: pem, keyFile: pem } } });
    const { output, until, stop } = start("--no-open");
    await until(() => LINK.test(output.stdout));
    const link = linkIn(output.stdout);
    expect(link).toContain(`https://127.0.0.1:${port}/#key=`);
    const entered = await enterBy(link);
    expect(entered.headers["set-cookie"]?.[0]).toMatch(/^__Host-baton=.*; Secure$/);
    expect((await enterBy(link)).status).toBe(403);
    expect(await stop()).toBe(0);
  });

  test("says which port is in use, and starts nothing", async () => {
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    expect((other.address() as AddressInfo).port).toBe(port);
    const run = await baton(home, ["web", "--port", `${port}`]);
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: `baton: Another program uses port ${port} on 127.0.0.1. Choose another one: \`baton web --port ${port + 1}\`.\n`,
    });
    const json = await baton(home, ["web", "--port", `${port}`, "--json"]);
    expect(JSON.parse(json.stderr).error.code).toBe("port_in_use");
    expect([homeLockFile(home), join(home, "baton.db")].filter((file) => existsSync(file))).toEqual([]);
    other.close();
    await once(other, "close");
  });

  test("says so if it can't listen at that address", async () => {
    const host = "203.0.113.7"; // It is no machine's.
    configure(home, { web: { host, port, publicUrl: "https://baton.example.org" } });
    const { code, stderr } = await baton(home, ["web"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `baton: Baton can't listen on ${host}:${port} (EADDRNOTAVAIL). Check web.host and web.port.\n`,
    );
  });
});

describe("beside a gateway that does not serve the page, baton web", () => {
  test.each([
    [
      "is told to switch it on",
      false,
      "but it does not serve the page. Run `baton config set web.enabled true`, then start the gateway again.",
    ],
    [
      "is told where to look if it is switched on",
      true,
      "but its page is not there yet. If you have just set web.enabled, start the gateway again. Else `baton logs` says why it can't listen on 127.0.0.1:22867.",
    ],
  ])("%s", async (_, enabled, sentence) => {
    const home = makeHome();
    configure(home, { web: { enabled, port: 22_867 } });
    takeHome(home, Date.now());
    const run = await baton(home, ["web"]);
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: `baton: A gateway is running for ${home} (process ${process.pid}), ${sentence}\n`,
    });
    const json = await baton(home, ["web", "--json", "--port", "22868"]);
    expect(JSON.parse(json.stderr).error.code).toBe("page_off");
  });
});
