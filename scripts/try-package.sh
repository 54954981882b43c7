#!/usr/bin/env bash
# try-package.sh FOLDER: what a user gets. Packs Baton, installs the package alone in the empty FOLDER, and starts it there.
# Fails if npm warns or if a command fails, and prints what the package weighs.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1/user"
cd "$1/user"
export BATON_HOME=$PWD/../home

npm pack --silent --pack-destination .. "$root" >/dev/null
"$root/scripts/without-warnings.sh" npm install ../baton-gateway-*.tgz
printf 'The package takes %s MB in %s packages.\n' "$(du -sm node_modules | cut -f1)" \
  "$(npm query '*' 2>/dev/null | grep -c '"location": "node_modules')"

baton() { npx --offline baton "$@" 2> >(grep -v '^npm warn Unknown' >&2); }
baton --help >/dev/null
baton doctor
baton chat --message 'Are you there?' | grep 'You said “Are you there?”'
node --input-type=module -e 'import { openSessions } from "baton-gateway"; await (await openSessions({ url: "sqlite::memory:" })).close();'

# Every platform loads what it needs. Nobody answers at these addresses, so each says that it is not connected.
export TELEGRAM_BOT_TOKEN=1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa BATON_PLATFORMS_TELEGRAM_BASE_URL=http://127.0.0.1:9
export DISCORD_BOT_TOKEN=MTIzNDU2Nzg5MDEyMzQ1Njc4.a.a BATON_PLATFORMS_DISCORD_BASE_URL=http://127.0.0.1:9
export SLACK_BOT_TOKEN=xoxb-1-1-a SLACK_APP_TOKEN=xapp-1-a BATON_PLATFORMS_SLACK_BASE_URL=http://127.0.0.1:9
export MATRIX_HOMESERVER=http://127.0.0.1:9 MATRIX_ACCESS_TOKEN=a MATRIX_USER_ID=@a:b
export MATTERMOST_URL=http://127.0.0.1:9 MATTERMOST_BOT_TOKEN=a
export FEISHU_APP_ID=cli_0123456789abcdef FEISHU_APP_SECRET=a BATON_PLATFORMS_FEISHU_BASE_URL=http://127.0.0.1:9
export SIGNAL_HTTP_URL=http://127.0.0.1:9 SIGNAL_ACCOUNT=+15550000000
export WHATSAPP_MODE=cloud WHATSAPP_PHONE_NUMBER_ID=1 WHATSAPP_ACCESS_TOKEN=a WHATSAPP_APP_SECRET=a
export WHATSAPP_VERIFY_TOKEN=a BATON_PLATFORMS_WHATSAPP_BASE_URL=http://127.0.0.1:9
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
export BATON_WEB_ENABLED=true BATON_WEB_PORT=$port
node_modules/.bin/baton gateway >../gateway.log 2>&1 &
until grep 'The gateway is running' ../gateway.log; do sleep 0.2; kill -0 $! 2>/dev/null || { cat ../gateway.log; exit 1; }; done
baton gateway status

# The page, and everything that it loads, is in the package; its link signs somebody in.
for _ in $(seq 150); do if baton gateway status | grep -q '^web (page): connected'; then break; fi; sleep 0.2; done
link=$(baton web --no-open --json | node -e 'console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).link)')
node "$root/scripts/try-page.mjs" "$link"
kill -INT $!
wait $!
for platform in Telegram Discord Slack Matrix Mattermost Lark Signal WhatsApp; do
  grep -m 1 "$platform is not connected: .*\(reached\|ECONNREFUSED\|fetch failed\)" ../gateway.log || { cat ../gateway.log; exit 1; }
done
