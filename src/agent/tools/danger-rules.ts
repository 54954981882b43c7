/**
 * The commands that may be dangerous, and when. Each rule takes the words after the name and gives a reason that follows
 * "because it", or null.
 */
import { finds, recursively, removes } from "./danger-files.js";
import { gits } from "./danger-git.js";
import { containers, DATA, PUBLISHES, sql } from "./danger-services.js";
import { first, has, joined, operands, type Rule, sensitiveTarget, sensitiveValue } from "./danger-words.js";
import { whySensitive } from "./sensitive-places.js";
import { UNKNOWN } from "./shell-text.js";
import type { Word } from "./shell-words.js";

const ANOTHER_USER = "runs with another user's rights";
const STOPS = "stops or restarts the machine or its services";
const DISKS = "changes disks or what is mounted";
const USERS = "changes users or passwords";
const NETWORK = "changes the network or its protection";
const CLOUD = "deletes or changes things on a server";

export const RULES: Readonly<Record<string, Rule>> = {
  ...all("sudo doas su pkexec run0 runuser chroot nsenter unshare", () => ANOTHER_USER),
  ...all("shutdown reboot halt poweroff telinit", () => STOPS),
  ...all(
    "mkswap wipefs fdisk sfdisk cfdisk gdisk sgdisk parted blkdiscard cryptsetup lvremove vgremove pvremove mount umount swapoff hdparm losetup mdadm zpool zfs diskutil",
    () => DISKS,
  ),
  ...all(
    "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mke2fs newfs",
    () => DISKS,
  ),
  ...all(
    "passwd chpasswd useradd usermod userdel groupadd groupdel adduser deluser visudo vipw chsh",
    () => USERS,
  ),
  ...all("iptables ip6tables nft ufw firewall-cmd pfctl setenforce", () => NETWORK),
  ...all("insmod rmmod modprobe kexec", () => "changes the system's kernel"),
  ...all("shred srm wipe", () => "destroys files so that nothing can be brought back"),
  ...all("killall pkill skill", () => "ends every process of a name, Baton's perhaps among them"),
  ...all("dropdb dropuser", () => DATA),
  init: (args) => (has(args, /^[0-6sS]$/) ? STOPS : null),
  systemctl: (args) =>
    has(
      args,
      /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|stop|disable|mask|kill|isolate|rescue|emergency|set-default|edit|enable|restart)$/,
    )
      ? STOPS
      : null,
  service: (args) => (has(args, /^(?:stop|restart|disable)$/) ? STOPS : null),
  launchctl: (args) => (has(args, /^(?:unload|bootout|remove|disable|load|bootstrap)$/) ? STOPS : null),
  rm: removes,
  rimraf: (args, look) => removes([{ text: "-r", isPattern: false, isFed: false }, ...args], look),
  unlink: (args) => sensitiveTarget(args),
  chmod: (args, look) =>
    has(args, /^[ugoa]*\+[rwx]*s|^[2467]\d{3}$/)
      ? "lets a program run with its owner's rights"
      : (recursively(args, look, "changes who may do what with many files") ?? sensitiveTarget(args)),
  chown: (args, look) => recursively(args, look, "changes the owner of many files") ?? sensitiveTarget(args),
  chgrp: (args, look) => recursively(args, look, "changes the group of many files") ?? sensitiveTarget(args),
  chattr: (args, look) =>
    recursively(args, look, "changes what can be done with many files") ?? sensitiveTarget(args),
  setfacl: (args, look) =>
    recursively(args, look, "changes who may do what with many files") ?? sensitiveTarget(args),
  dd: (args) => sensitiveValue(args.filter(({ text }) => text.startsWith("of="))),
  mv: (args, look) => {
    if (has(args, /^\/dev\/null$/)) return "moves files to where they are gone";
    const from = operands(args).slice(0, -1);
    return from.some(
      (word) => /^[/~.]*\*?$/.test(word.text) || (word.text.startsWith("~") && !/^~\/.+\/./.test(word.text)),
    )
      ? "moves more than a part of a folder"
      : (sensitiveTarget(args) ??
          (look.isElsewhere && from.some(({ isPattern }) => isPattern)
            ? "moves files outside the working folder"
            : null));
  },
  cp: (args) => sensitiveTarget(operands(args).slice(-1)) ?? keepsSecrets(args),
  baton: batons,
  npx: (args) => (args[0]?.text === "baton" ? batons(args.slice(1)) : null),
  ln: (args) => sensitiveTarget(operands(args).slice(-1)),
  install: (args) => sensitiveTarget(operands(args).slice(-1)),
  tee: (args) => sensitiveTarget(args),
  truncate: (args) => sensitiveTarget(args),
  touch: (args) => sensitiveTarget(args),
  sed: (args) =>
    has(args, /^-[a-zA-Z]*i|^--in-place/)
      ? sensitiveTarget(args)
      : has(args, /(?:^|[;{}\n]\s*|^\d+|\/\s*)s(.)(?:(?!\1).)*\1(?:(?!\1).)*\1[gipmI0-9]*e|^\d*e\s/)
        ? "runs commands from within sed"
        : null,
  rsync: (args) => {
    const deletes = has(args, /^--(?:delete|del$|remove-source-files)/);
    return deletes && operands(args).slice(-1).some(isBroadPlace)
      ? "deletes what is not in the source"
      : sensitiveTarget(operands(args).slice(-1));
  },
  tar: (args) =>
    keepsSecrets(args) ??
    (has(args, /^--(?:checkpoint-action|to-command|use-compress-program|rsh-command)/)
      ? "runs commands from within tar"
      : unpacksOverSystem(args)),
  find: finds,
  kill: (args) => {
    const isSignal = args.length > 1 && /^-[^-]/.test(args[0]?.text ?? "");
    return has(args.slice(isSignal ? 1 : 0), /^(?:-1|0|1)$/)
      ? "ends every process, or the first of all"
      : null;
  },
  crontab: (args) => (has(args, /^-l$/) && !has(args, /^-[er]$/) ? null : "changes what runs by itself"),
  at: () => "runs something later, when nobody looks",
  batch: () => "runs something later, when nobody looks",
  history: (args) => (has(args, /^-[a-z]*[cdw]/) ? "deletes what was run before" : null),
  sysctl: (args) => (has(args, /^-w$|^--write$|^--system$|=/) ? "changes the system's kernel" : null),
  ip: (args) => (has(args, /^(?:del|delete|flush|set|add|replace|change)$/) ? NETWORK : null),
  ifconfig: (args) => (has(args, /^(?:up|down|del|delete)$/) ? NETWORK : null),
  git: gits,
  gh: (args) =>
    has(args, /^(?:delete|archive|merge|transfer)$/)
      ? CLOUD
      : has(args, /^release$/) && has(args, /^create$/)
        ? PUBLISHES
        : null,
  docker: containers,
  podman: containers,
  "docker-compose": containers,
  nerdctl: containers,
  kubectl: (args) => (has(args, /^(?:delete|drain|replace|exec|scale|cordon|taint)$/) ? CLOUD : null),
  helm: (args) => (has(args, /^(?:uninstall|delete|rollback)$/) ? CLOUD : null),
  terraform: (args) => (has(args, /^(?:destroy|apply|taint|import)$|^state$/) ? CLOUD : null),
  tofu: (args) => (has(args, /^(?:destroy|apply|taint|import)$|^state$/) ? CLOUD : null),
  pulumi: (args) => (has(args, /^(?:destroy|up|cancel)$/) ? CLOUD : null),
  aws: (args) =>
    has(args, /^(?:rm|rb|mv|sync)$|^(?:delete|terminate|remove|put|create|update|run|stop|reboot)-/)
      ? CLOUD
      : null,
  gcloud: (args) => (has(args, /^(?:delete|destroy|remove|reset|stop|ssh)$/) ? CLOUD : null),
  gsutil: (args) => (has(args, /^(?:rm|rb|mv)$/) ? CLOUD : null),
  az: (args) => (has(args, /^(?:delete|purge|stop|restart)$/) ? CLOUD : null),
  heroku: (args) => (has(args, /destroy|^pg:reset/) ? CLOUD : null),
  ...all("npm yarn pnpm cargo gem poetry uv", (args) =>
    has(args, /^(?:publish|unpublish|push|deprecate|yank|owner)$/) ? PUBLISHES : null,
  ),
  twine: (args) => (has(args, /^upload$/) ? PUBLISHES : null),
  ...all("apt apt-get dnf yum zypper apk brew snap flatpak", (args) =>
    has(args, /^(?:remove|purge|autoremove|erase|uninstall|del|dist-upgrade|full-upgrade|rm)$/)
      ? "removes programs from the machine"
      : null,
  ),
  pacman: (args) => (has(args, /^-R/) ? "removes programs from the machine" : null),
  ...all("psql mysql mariadb sqlite3 sqlcmd clickhouse-client duckdb cqlsh mongosh mongo", sql),
  mysqladmin: (args) => (has(args, /^(?:drop|shutdown|password|flush.*)$/) ? DATA : null),
  "redis-cli": (args, look) =>
    /\b(?:flushall|flushdb|shutdown|debug)\b/i.test(`${joined(args)} ${look.input}`) ? DATA : null,
  ...all("nc ncat netcat", (args) =>
    has(args, /^-[a-z]*[ec]$|^--(?:sh-)?exec$/) ? "gives another machine a shell here" : null,
  ),
  socat: (args) => (has(args, /exec:|system:/i) ? "gives another machine a shell here" : null),
  ssh: (args, look) => {
    if (has(args, /ProxyCommand|LocalCommand|KnownHostsCommand/i)) return "runs commands from within ssh";
    const [, ...remote] = operands(args);
    return remote.length > 0 ? look.script(joined(remote)) : null;
  },
  ...all("scp sftp", (args) =>
    has(args, /ProxyCommand/i) ? "runs commands from within ssh" : sensitiveTarget(operands(args).slice(-1)),
  ),
  "ssh-keygen": (args) => (has(args, /^-[a-z]*R$/) ? null : sensitiveTarget(args)),
  "ssh-copy-id": () => "lets somebody log in elsewhere with a key",
  ...all("curl wget aria2c", (args) => sensitiveValue(args)),
  ...all("awk gawk mawk nawk", (args) =>
    /system\s*\(|\|\s*(?:getline\b|&|")|"\s*\|\s*getline/.test(joined(args))
      ? "runs commands from within awk"
      : null,
  ),
  ...all("vim vi nvim ex emacs", (args) =>
    has(args, /^-[ces]$|^\+.|^--(?:cmd|eval|batch)/) && /!|system|shell/.test(joined(args))
      ? "runs commands from within an editor"
      : null,
  ),
  trap: (args, look) =>
    args[0] ? (args[0].text.includes(UNKNOWN) ? null : look.script(args[0].text)) : null,
  alias: (args, look) =>
    first(args, ({ text }) =>
      text.includes("=") && !text.includes(UNKNOWN) ? look.script(text.slice(text.indexOf("=") + 1)) : null,
    ),
  export: (args) =>
    first(args, ({ text }) =>
      /^(?:LD_PRELOAD|BASH_ENV|PROMPT_COMMAND|LD_LIBRARY_PATH|GIT_SSH_COMMAND)=/.test(text)
        ? "sets a variable that changes what other commands run"
        : null,
    ),
};

function isBroadPlace({ text }: Word): boolean {
  return text.includes(UNKNOWN) || /^(?:\/|~|\/[^/]*\/?[^/]*\/?|~\/?[^/]*\/?|\.\.?\/?)$/.test(text);
}

function all(names: string, rule: Rule): Record<string, Rule> {
  return Object.fromEntries(names.split(" ").map((name) => [name, rule]));
}

function unpacksOverSystem(args: readonly Word[]): string | null {
  const at = args.findIndex(({ text }) => /^(?:-C|--directory)$/.test(text));
  const target = at < 0 ? undefined : args[at + 1]?.text;
  if (target === undefined) return null;
  return target === "/" || whySensitive(`${target}/`) ? "unpacks over the system's own files" : null;
}

/** Baton's own command line decides who is let in and what is asked about. */
function batons(args: readonly Word[]): string | null {
  return has(args.slice(0, 1), /^(?:people|config|restore|service|setup|sessions|gateway)$/)
    ? "changes Baton itself, who may use it, or what it keeps"
    : null;
}

/** Copying keys away is as bad as changing them. */
function keepsSecrets(args: readonly Word[]): string | null {
  return has(args, /(?:^|\/)\.(?:ssh|gnupg|aws|kube|netrc|baton)(?:\/|$)/)
    ? "takes keys or other secrets somewhere else"
    : null;
}
