/**
 * The commands that may be dangerous, and when. Each rule takes the words after the name, and returns a reason that
 * follows "This", or null.
 */

import { dangerOfSettingWord } from "./danger-environment.js";
import { finds, recursively, removes } from "./danger-files.js";
import { gits } from "./danger-git.js";
import { containers, DATA, PUBLISHES, sql } from "./danger-services.js";
import {
  first,
  has,
  isBroad,
  joined,
  type Look,
  operands,
  type Rule,
  sensitiveTarget,
  sensitiveValue,
} from "./danger-words.js";
import { whySecret, whySensitive } from "./sensitive-places.js";
import { UNKNOWN } from "./shell-text.js";
import { asWord, type Word } from "./shell-words.js";

const ANOTHER_USER = "runs a command as another user";
const STOPS = "stops or restarts the machine or its services";
const DISKS = "changes disks or mounts";
const USERS = "changes users or passwords";
const NETWORK = "changes the network or the firewall";
const CLOUD = "deletes or changes things on a server";
const ELSEWHERE = "links to a place outside the working folder";
const COPIES_PROGRAM = "copies a program under another name";
const LATER = "runs a command later, when nobody is watching";

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
  ...all("shred srm wipe", () => "deletes files so that they can't be recovered"),
  ...all("killall pkill skill", () => "kills every process with that name, maybe Baton too"),
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
  rimraf: (args, look) => removes([asWord("-r"), ...args], look),
  unlink: (args) => sensitiveTarget(args),
  chmod: (args, look) =>
    has(args, /^[ugoa]*\+[rwx]*s|^[2467]\d{3}$/)
      ? "lets a program run with its owner's rights"
      : (recursively(args, look, "changes the permissions of many files") ?? sensitiveTarget(args)),
  chown: (args, look) => recursively(args, look, "changes the owner of many files") ?? sensitiveTarget(args),
  chgrp: (args, look) => recursively(args, look, "changes the group of many files") ?? sensitiveTarget(args),
  chattr: (args, look) =>
    recursively(args, look, "changes the attributes of many files") ?? sensitiveTarget(args),
  setfacl: (args, look) =>
    recursively(args, look, "changes the permissions of many files") ?? sensitiveTarget(args),
  dd: (args) =>
    sensitiveValue(args.filter(({ text }) => text.startsWith("of="))) ??
    secretValue(args) ??
    copiesProgram(args) ??
    (has(args, /^if=\/dev\/(?:zero|u?random)$/) && has(args, /^of=/) && !has(args, /^count=/)
      ? "could fill the disk"
      : null),
  ...all("fallocate truncate", (args) =>
    has(args, /\d{12,}|\d[TPEZ]/i) ? "could fill the disk" : sensitiveTarget(args),
  ),
  mv: (args, look) => {
    if (has(args, /^\/dev\/null$/)) return "moves files to /dev/null, which deletes them";
    const from = operands(args).slice(0, -1);
    return from.some(
      (word) => /^[/~.]*\*?$/.test(word.text) || (word.text.startsWith("~") && !/^~\/.+\/./.test(word.text)),
    )
      ? "moves a whole folder somewhere else"
      : (sensitiveTarget(args) ??
          copiesProgram(from) ??
          (look.isElsewhere && from.some(({ isPattern }) => isPattern)
            ? "moves files outside the working folder"
            : null));
  },
  cp: (args, look) =>
    sensitiveTarget(operands(args).slice(-1)) ??
    keepsSecrets(args) ??
    copiesProgram(operands(args).slice(0, -1)) ??
    (has(args, /^-[a-zA-Z]*[sl]|^--(?:symbolic-link|link)$/) ? links(args, look) : takesHome(args)),
  baton: batons,
  npx: (args) => (args[0]?.text === "baton" ? batons(args.slice(1)) : null),
  ...all("ln link", links),
  install: (args) => sensitiveTarget(operands(args).slice(-1)) ?? copiesProgram(operands(args).slice(0, -1)),
  tee: (args) => sensitiveTarget(args),
  touch: (args) => sensitiveTarget(args),
  sed: (args) =>
    has(args, /^-[a-zA-Z]*i|^--in-place/)
      ? sensitiveTarget(args)
      : has(args, /(?:^|[;{}\n]\s*|^\d+|\/\s*)s(.)(?:(?!\1).)*\1(?:(?!\1).)*\1[gipmI0-9]*e|^\d*e\s/)
        ? "makes sed run other commands"
        : writesFromSed(args),
  sort: (args) => sensitiveTarget(args),
  ps: (args) => (has(args, /^[a-zA-Z]*e/) ? "shows the environment of other processes" : null),
  ...all("zip 7z 7za", (args) => keepsSecrets(args) ?? takesHome(args)),
  ...all("rg ag ack ugrep", takesHome),
  ...all("grep egrep fgrep zgrep", (args) =>
    has(args, /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive/) ? takesHome(args) : null,
  ),
  rsync: (args) => {
    const deletes = has(args, /^--(?:delete|del$|remove-source-files)/);
    return deletes && operands(args).slice(-1).some(isBroadPlace)
      ? "deletes files that are not in the source"
      : (sensitiveTarget(operands(args).slice(-1)) ??
          copiesProgram(operands(args).slice(0, -1)) ??
          takesHome(operands(args).slice(0, -1)));
  },
  tar: (args) =>
    keepsSecrets(args) ??
    unpacksOverSystem(args) ??
    takesHome(args) ??
    copiesProgram(args) ??
    (/^-?[a-zA-Z]*P/.test(args[0]?.text ?? "") ? "can unpack files outside the working folder" : null),
  find: finds,
  kill: (args) => {
    const isSignal = args.length > 1 && /^-[^-]/.test(args[0]?.text ?? "");
    return has(args.slice(isSignal ? 1 : 0), /^(?:-1|0|1)$|PPID|^-\ue000|^%/)
      ? "kills processes that it did not start, maybe all of them"
      : null;
  },
  crontab: (args) =>
    has(args, /^-l$/) && !has(args, /^-[er]$/) ? null : "changes what starts automatically",
  at: () => LATER,
  batch: () => LATER,
  history: (args) => (has(args, /^-[a-z]*[cdw]/) ? "deletes the history of commands" : null),
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
    has(args, /^-[a-z]*[ec]$|^--(?:sh-)?exec$/) ? "lets another machine run commands here" : null,
  ),
  socat: (args) => (has(args, /exec:|system:/i) ? "lets another machine run commands here" : null),
  ssh: (args, look) => {
    const [, ...remote] = operands(args);
    return remote.length > 0 ? look.script(joined(remote)) : null;
  },
  ...all(
    "scp sftp",
    (args) => sensitiveTarget(operands(args).slice(-1)) ?? copiesProgram(operands(args).slice(0, -1)),
  ),
  "ssh-keygen": (args) => (has(args, /^-[a-z]*R$/) ? null : sensitiveTarget(args)),
  "ssh-copy-id": () => "lets an SSH key log in on another machine",
  ...all("curl wget aria2c", (args) => sensitiveValue(args)),
  ...all("awk gawk mawk nawk", (args) =>
    /system\s*\(|\||getline|@(?:load|include)|>\s*["(\w]|ENVIRON|^-f|\s-f|^-[a-zA-Z]*[liE]\s/.test(
      awkCode(args),
    )
      ? "makes awk run commands or write files"
      : null,
  ),
  trap: (args, look) => (args[0] && !args[0].text.includes(UNKNOWN) ? look.script(args[0].text) : null),
  alias: (args, look) =>
    first(args, ({ text }) =>
      text.includes("=") && !text.includes(UNKNOWN) ? look.script(text.slice(text.indexOf("=") + 1)) : null,
    ),
  ...all("export declare typeset readonly local", (args) =>
    first(args, ({ text }) => dangerOfSettingWord(text)),
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
  return target === "/" || whySensitive(`${target}/`) ? "unpacks files over the system's own files" : null;
}

/** Baton's own command line decides who has access and what Baton asks about. */
function batons(args: readonly Word[]): string | null {
  return has(args.slice(0, 1), /^(?:people|config|restore|service|setup|sessions|gateway)$/)
    ? "changes Baton itself, who may use it, or what it stores"
    : null;
}

/** Copying keys away is as bad as changing them. */
function keepsSecrets(args: readonly Word[]): string | null {
  return has(args, /(?:^|\/)\.(?:ssh|gnupg|aws|kube|netrc|baton)(?:\/|$)/)
    ? "copies keys or other secrets"
    : null;
}

/** A whole home folder, or the whole machine, with its keys. */
function takesHome(args: readonly Word[]): string | null {
  return has(args, /^(?:~[^/]*|\/|\/(?:home|Users)(?:\/[^/]*)?|\/root)\/?\*?$/)
    ? "reads a whole home folder, including keys"
    : null;
}

function copiesProgram(args: readonly Word[]): string | null {
  return has(args, /^(?:if=)?(?:\/usr)?(?:\/local)?\/s?bin(?:\/|$)|^\/lib(?:64)?\/ld-/)
    ? COPIES_PROGRAM
    : null;
}

function secretValue(args: readonly Word[]): string | null {
  return first(args, ({ text }) => whySecret(text.replace(/^-{0,2}[\w-]*=/, "")));
}

/** Later checks of the link's name do not show its target. */
function links(args: readonly Word[], look: Look): string | null {
  const all = operands(args);
  return (
    sensitiveTarget(all) ??
    first(all, ({ text }) => whySecret(`${text}/*`) ?? whySecret(text)) ??
    (all.slice(0, -1).some((word) => isBroad(word, look)) ? ELSEWHERE : null)
  );
}

/** `w file` in sed's own commands. */
function writesFromSed(args: readonly Word[]): string | null {
  const [, target] = /(?:^|[;{}/\s\d])[wW]\s+(\S+)/.exec(joined(args)) ?? [];
  return target === undefined
    ? null
    : (whySensitive(target) ?? (/^[~/.]/.test(target) ? "makes sed write a file" : null));
}

/** Without comparisons such as `$3 > 100`, which write nothing. */
function awkCode(args: readonly Word[]): string {
  return joined(args)
    .replace(/\|\|/g, " ")
    .replace(/>=?\s*-?[\d.]+/g, " ")
    .replace(/^-F\s?\S+/, "");
}
