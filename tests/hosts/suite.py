"""Lets real hosts make sessions, and asks whether transcript-doctor agrees with them. `run.sh` starts it.

Every session is made by the host itself against `provider.py`; nothing is recorded, no verdict is expected. What is asked of each
session: does the verdict say what the wire shows, does everything arrive that it says arrives, is anything called unknown that the
host wrote, does any tool run twice. A host that cannot be installed is reported and does not stop the others.
"""
import argparse
import datetime
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import page
from clients import ALL, QUICK
from clients.base import CannotInstall
from contract import Contract
from doctor import Doctor
from fixtures import Fixtures

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What a line begins with.
SIGNS = {"agreed": "ok  ", "disagreed": "FAIL", "explained": "why ", "skipped": "-   "}


def arguments():
    parser = argparse.ArgumentParser(prog="tests/hosts/run.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hosts", nargs="*", metavar="HOST", help="default: all; `quick`: those of a push; `gate`: the two "
                        "quickest, if their pinned versions are installed")
    parser.add_argument("--list", action="store_true", help="list the hosts with their packages and pinned versions")
    parser.add_argument("--latest", action="store_true", help="the newest versions instead of the pinned ones")
    parser.add_argument("--version", metavar="VERSION", help="this version of the named hosts instead of the pinned ones")
    parser.add_argument("--clients", default=os.path.join(ROOT, "target/hosts"), help="where clients are installed")
    parser.add_argument("--bin", default=os.path.join(ROOT, "target/release/transcript-doctor"), help="the program under test")
    parser.add_argument("--patience", type=float, default=1, metavar="TIMES", help="wait so many times as long for a host: this machine is busy")
    parser.add_argument("--only", default="", metavar="WORD", help="only sessions with this in their name, or one of several: WORD,WORD")
    parser.add_argument("--fixtures", action="store_true", help="feed them the fixtures of their formats instead of own sessions")
    parser.add_argument("--again", action="store_true", help="only the fixtures that did not agree when docs/hosts.md was written")
    parser.add_argument("--keep", metavar="DIR", help="leave the sessions here. Some hold a vendor's prompt: never commit them")
    parser.add_argument("--results", metavar="FILE", help="write the results as JSON, too")
    parser.add_argument("--write", action="store_true", help="write docs/hosts.md")
    parser.add_argument("--current", action="store_true", help="only ask whether docs/hosts.md is current")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = arguments()
    if options.inside:
        return run_inside(options)
    if options.list:
        for host in ALL.values():
            print(f"{host.name:15} {host.package} {host.pin}")
        return 0
    if options.current:
        if page.is_current():
            return 0
        print("docs/hosts.md does not follow from tests/hosts/results.json", file=sys.stderr)
        return 1
    names = chosen(options.hosts, options.clients)
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"no host {unknown[0]}; hosts: {', '.join(ALL)}", file=sys.stderr)
        return 2
    if not os.path.exists(options.bin):
        print(f"no program at {options.bin}: cargo build --release", file=sys.stderr)
        return 2
    if options.hosts == ["gate"]:
        missing = [f"{host.name} {host.pin}" for host in QUICK[:2] if host.name not in names]
        if missing:
            print(f"not installed, so not run: {', '.join(missing)} (tests/hosts/run.sh quick)")
    results = [run_host(ALL[name], options) for name in names]
    print()
    for result in results:
        print(summary(result))
    if options.results:
        with open(options.results, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if options.write and (options.again or (options.fixtures and options.only)):
        page.update_some(results, options.again)
    elif options.write and options.fixtures:
        page.update_fixtures(results)
    elif options.write:
        page.update(results)
    return 1 if any(count(result, "disagreed") or result["trouble"] for result in results) else 0


def chosen(names, clients):
    if not names:
        return list(ALL)
    if names == ["quick"]:
        return [host.name for host in QUICK]
    if names == ["gate"]:
        return [host.name for host in QUICK[:2] if host(clients).version() == host.pin]
    return names


def run_host(kind, options):
    """Installs a host and runs its contract in a process without network."""
    host, begin = kind(options.clients), time.time()
    result = {"host": host.name, "title": host.title, "package": host.package, "version": None,
              "format": host.format, "lines": [], "trouble": None,
              "date": datetime.date.today().isoformat()}
    try:
        install(host, options.version or ("latest" if options.latest else host.pin))
    except (CannotInstall, OSError) as trouble:
        result["trouble"] = f"cannot be installed: {' '.join(str(trouble).split())}"
        return result
    result["version"] = host.version()
    only = ",".join(page.differing(host.name)) if options.again else options.only
    with tempfile.TemporaryDirectory(prefix="hosts-") as folder:
        answer = os.path.join(folder, "lines.json")
        work = os.path.join(options.keep, host.name) if options.keep else os.path.join(folder, "work")
        line = [sys.executable, os.path.abspath(__file__), host.name, "--inside", answer, "--clients", options.clients,
                "--bin", options.bin, "--only", only, "--patience", str(options.patience),
                "--keep", os.path.abspath(work)]
        if options.fixtures or options.again:
            line.append("--fixtures")
        done = subprocess.run([*without_network(), *line])
        if os.path.exists(answer):
            with open(answer, encoding="utf-8") as file:
                result["lines"] = json.load(file)
        if done.returncode != 0:
            result["trouble"] = "the host did not run"
    result["seconds"] = round(time.time() - begin)
    return result


def install(host, version):
    if host.version() == version:
        return
    if host.version() is not None:
        # An update in place keeps dependencies that a user of this version would not have.
        shutil.rmtree(host.folder)
    os.makedirs(host.folder, exist_ok=True)
    host.install(version)
    if host.version() is None:
        raise CannotInstall(f"{host.package} is not in {host.folder}")


def without_network():
    """The command that starts another without network, if this system has one."""
    for command in (["unshare", "--net"], ["unshare", "--net", "--map-root-user"]):
        if shutil.which(command[0]) and subprocess.run([*command, "true"], capture_output=True).returncode == 0:
            return command
    return []


def raise_loopback():
    """Sets the loopback of a new network namespace up. Elsewhere it is up already."""
    up, running, set_flags = 0x1, 0x40, 0x8914
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            fcntl.ioctl(one, set_flags, struct.pack("16sh14x", b"lo", up | running))
        except OSError:
            pass


def run_inside(options):
    raise_loopback()
    host = ALL[options.hosts[0]](options.clients)
    host.patience *= options.patience
    os.makedirs(options.keep, exist_ok=True)
    folder = os.path.realpath(options.keep)
    doctor = Doctor(options.bin, folder + "/doctor")
    os.makedirs(doctor.home, exist_ok=True)
    contract = Contract(host, doctor, folder, tell, options.only)
    did_run = Fixtures(contract, ROOT + "/fixtures").run() if options.fixtures else contract.run()
    with open(options.inside, "w", encoding="utf-8") as file:
        json.dump([line._asdict() for line in contract.lines], file)
    return 0 if did_run else 1


def tell(host, line):
    why = f"   <- {line.why}" if line.why else ""
    print(f"{SIGNS[line.outcome]} {host.name} {line.session}: {line.saw}{why}", flush=True)


def count(result, outcome):
    return sum(line["outcome"] == outcome for line in result["lines"])


def summary(result):
    name = f"{result['title']} {result['version'] or ''}".strip()
    if result["trouble"]:
        return f"{name}: {result['trouble']}"
    agreed, explained = count(result, "agreed"), count(result, "explained")
    words = [f"{agreed} agreed"]
    if explained:
        words.append(f"{explained} explained")
    if count(result, "disagreed"):
        words.append(f"{count(result, 'disagreed')} DISAGREED")
    return f"{name}: {', '.join(words)} ({result['seconds']} s)"


if __name__ == "__main__":
    sys.exit(main())
