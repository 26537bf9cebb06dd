"""The IP address at which the other nodes of a cluster reach the node that runs this.

Slurm's NodeAddr is a name by default, and engines such as Dynamo take IP addresses only. A node's own name is no help
either: /etc/hosts often maps it to 127.0.1.1. So each node looks at its own interfaces and routes. Run by srun on every
node of a server: `python -m seedbed.serving.node.own_address --network ib0 gpu-1 gpu-2 login`. Standard library only.
"""

import argparse
import ctypes
import ipaddress
import os
import socket
import struct
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seedbed.core.errors import InputError, exit_code

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
PROBE_PORT = 9  # connecting a UDP socket sends nothing; it only asks the kernel for the route


@dataclass(frozen=True)
class Interface:
    """One address of one network interface of this node."""

    name: str
    address: Address


class _Ifaddrs(ctypes.Structure):
    """`struct ifaddrs` of getifaddrs(3)."""


_Ifaddrs._fields_ = [
    ("next", ctypes.POINTER(_Ifaddrs)),
    ("name", ctypes.c_char_p),
    ("flags", ctypes.c_uint),
    ("address", ctypes.c_void_p),
]


def interfaces() -> list[Interface]:
    """Return every IP address of this node in the kernel's order, loopback and link-local ones left out."""
    library = ctypes.CDLL(None, use_errno=True)
    first = ctypes.POINTER(_Ifaddrs)()
    if library.getifaddrs(ctypes.byref(first)) != 0:
        raise OSError(ctypes.get_errno(), "getifaddrs failed")
    found = []
    entry = first
    while entry:
        item = entry.contents
        address = _address(item.address)
        if address is not None and not address.is_loopback and not address.is_link_local:
            found.append(Interface(os.fsdecode(item.name), address))
        entry = item.next
    library.freeifaddrs(first)
    return found


def _address(pointer: int | None) -> Address | None:
    """Return the IP address of a `struct sockaddr`, None for any other family."""
    if not pointer:
        return None
    family = struct.unpack("=H", ctypes.string_at(pointer, 2))[0]
    if family == socket.AF_INET:
        return ipaddress.IPv4Address(ctypes.string_at(pointer + 4, 4))
    if family == socket.AF_INET6:
        return ipaddress.IPv6Address(ctypes.string_at(pointer + 8, 16))
    return None


def on_network(network: str, found: Sequence[Interface]) -> str:
    """Return the address on `network`, the name of an interface or a network such as 10.0.0.0/8; IPv4 before IPv6.

    Raises InputError that lists what the node has.
    """
    try:
        span = ipaddress.ip_network(network, strict=False)
    except ValueError:
        span = None
    fitting = [one.address for one in found if one.name == network or (span is not None and one.address in span)]
    if not fitting:
        known = ", ".join(f"{one.name} {one.address}" for one in found) or "none"
        raise InputError(f"network: found {network!r}, but node {socket.gethostname()} has no address there: {known}")
    return str(min(fitting, key=lambda address: address.version))


def towards(peers: Iterable[str]) -> str:
    """Return the address from which this node reaches the first of `peers` that has an address beyond this node.

    A peer whose name leads only to this node itself (127.0.0.1, 127.0.1.1) is passed over. Where all do, it is the
    first address of this node, or 127.0.0.1 on a machine without a network.
    """
    for peer in peers:
        for family, _, _, _, target in _resolved(peer):
            if ipaddress.ip_address(target[0].partition("%")[0]).is_loopback:
                continue
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                try:
                    probe.connect(target)
                except OSError:
                    continue
                return str(probe.getsockname()[0]).partition("%")[0]
    own = sorted((one.address for one in interfaces()), key=lambda address: address.version)
    return str(own[0]) if own else "127.0.0.1"


def _resolved(name: str) -> list[tuple[int, int, int, str, tuple[str, int]]]:
    """Return what `name` resolves to here, IPv4 first; nothing where it does not resolve."""
    try:
        found = socket.getaddrinfo(name, PROBE_PORT, type=socket.SOCK_DGRAM)
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry[0] != socket.AF_INET)  # type: ignore[arg-type]


def own_address(network: str | None, peers: Iterable[str]) -> str:
    """Return this node's address: on `network` where the site names one, else on the route to its `peers`."""
    return on_network(network, interfaces()) if network else towards(peers)


def main() -> int:
    """Print the name that Slurm gives this node and its address."""
    parser = argparse.ArgumentParser(prog="own_address", description=__doc__)
    parser.add_argument("--network", help="an interface or a network of the site file")
    parser.add_argument("peers", nargs="*", help="names of the other nodes and of the submit host")
    arguments = parser.parse_args()
    name = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    print(name, own_address(arguments.network, [peer for peer in arguments.peers if peer != name]))
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
