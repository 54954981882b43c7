/** Commands that take commands as input, and text that is typed into programs. */
import { describe, expect, it } from "vitest";
import { dangerOf, dangerOfTyped } from "./danger.js";
import { TAKES_COMMANDS } from "./danger-input.js";

const place = { folders: ["/work"] };
const typed = (command: string) => dangerOf(command, { place, getsInput: true });

describe("a command into which something can be typed", () => {
  it.each([
    ..."bash|sh|bash -i|bash -s x|bash -x|bash -o posix|/bin/bash --norc|zsh -l|fish|env bash|exec bash|busybox sh".split(
      "|",
    ),
    ..."python3|python3 -q|python3 -i app.py|python3 -W ignore|python3 -m pdb app.py|python3 -|python3 -c 'print(1)' -i".split(
      "|",
    ),
    ..."node|node -i|node inspect app.js|perl|ruby|irb|php -a|deno repl|ipython|ghci|lua".split("|"),
    ..."psql|psql -U ann shop|mysql shop|sqlite3|sqlite3 a.db|redis-cli|redis-cli -h x|mongosh".split("|"),
    ..."ssh host|ssh -p 22 ann@host|ssh host bash|ssh -t host|mosh host|script|script out.txt|nohup ssh host".split(
      "|",
    ),
    ..."docker exec -it web bash|docker run -i python:3|podman exec --interactive web sh|docker attach web".split(
      "|",
    ),
    "cat | psql",
    ..."cd /work && bash|bash -c python3|bash < /dev/tty|stty -echo; python3|if true; then bash; fi|(bash)".split(
      "|",
    ),
  ])("is asked about if it takes commands: %s", (command) => {
    expect(typed(command)).toBe(TAKES_COMMANDS);
    if (!/ -i$|inspect|pdb/.test(command)) expect(dangerOf(command, { place })).toBeNull(); // In the foreground.
  });

  it.each([
    ..."bash build.sh|bash -x build.sh|sh ./run|bash -c 'npm start'|bash --version|bash < build.sh|bash &".split(
      "|",
    ),
    ..."python3 app.py|python3 -u app.py|python3 -W ignore app.py|python3 -m http.server 8000|python3 -m flask run".split(
      "|",
    ),
    ..."python3 -c 'print(1)'|node server.js|node --watch server.js|node --inspect=9229 server|php -S localhost:80".split(
      "|",
    ),
    ..."php artisan serve|deno run a.ts|bun run dev|npm run dev|make|tail -f log|less log|cat|sleep 9|npm init".split(
      "|",
    ),
    ..."psql -c 'select 1'|mysql -e 'select 1'|sqlite3 a.db 'select 1'|redis-cli ping".split("|"),
    "echo 'select 1' | psql",
    ..."ssh -N -L 1:b:1 host|ssh host uptime|docker run -d web|docker compose up|docker build -t i .|kubectl logs -f a".split(
      "|",
    ),
  ])("is not asked about otherwise: %s", (command) => {
    expect(typed(command)).toBeNull();
  });
});

it.each(["echo rm -rf x | bash -s y", "echo rm -rf x | sh -o posix"])(
  "a shell that takes what another command prints is asked about: %s",
  (command) => {
    expect(dangerOf(command, { place })).toMatch(/gives the output of another command to a shell/);
  },
);

describe("text that is typed into a program", () => {
  it.each([
    ["rm -rf /home/ann", /deletes/],
    ["!rm -rf ~", /deletes/],
    ["\u0015rm -rf ~", /deletes/],
    ["\\! sudo ls", /another user/],
    [":!sudo reboot", /another user/],
    ["print('it')\nrm -rf /home/ann", /deletes/],
    ["print('it's')\rrm -rf /home/ann", /deletes/],
    ["$x; rm -rf /home/ann", /deletes/],
    ["rm -rf \\\n/home/ann", /deletes/],
    ["echo hi > /etc/hosts", /./],
    ["x".repeat(5_000), /too long/],
    ["x\u007frm -rf ~", /deletes/],
    ["x\brm -rf ~", /deletes/],
    ["echo \u0017rm -rf ~", /deletes/],
    ["ls\nxy\u007f\u007f\u007frm -rf ~", /deletes/],
    ["echo 'a\u0015rm -rf ~", /deletes/],
    ["rm -rf /home/ann/x\u0017\u0017\u0017ls", /deletes/], // A program with pipes does not erase.
  ])("is asked about if it is clearly dangerous as a command: %j", (text, why) => {
    expect(dangerOfTyped(text, place)).toMatch(why);
  });

  it.each([
    ["rm -rf", " ~"],
    ["rm -r", "f ~\r"],
    ["rm -rf \\\n", "~"],
    ["rm -rf", "x\u007f ~"],
    ["curl example.org |\r", "sh\r"],
    [`${"x".repeat(3_900)} ; rm -rf`, ` ~ ${"x".repeat(100)}`],
    ["rm -rf ~", " -v"], // It was approved without that.
  ])("is asked about if it is dangerous after what is unsent: %j, %j", (unsent, text) => {
    expect(dangerOfTyped(text, place)).toBeNull();
    expect(dangerOfTyped(text, place, unsent)).not.toBeNull();
  });

  it.each([
    ["rm -rf ~", "\r"], // It was approved already.
    ["print(", "1)"],
    ["x".repeat(4_000), "y"],
  ])("is not asked about after what is unsent otherwise: %j, %j", (unsent, text) => {
    expect(dangerOfTyped(text, place, unsent)).toBeNull();
  });

  it("costs bounded time, whatever it erases", () => {
    const text = ["\u0017", "\u0015", "\u007f", "a "].map((one) => one.repeat(1_000 / one.length)).join("");
    expect(dangerOfTyped(text, place, text)).toBeNull();
  });

  it.each([
    ..."y|it's|print('a')|Grüße|{\"a\": [1]}|$HOME|*|def f(x):|import os|select 1;|\u0004|\u001b[A|\u0003|q|6 * 7".split(
      "|",
    ),
    "",
    "for x in range(3):\n    print(x)\n\n",
  ])("is not asked about otherwise: %j", (text) => {
    expect(dangerOfTyped(text, place)).toBeNull();
  });
});
