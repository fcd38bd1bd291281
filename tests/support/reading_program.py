"""Reads an address again and again until its input ends; writes how long each read took.

    python reading_program.py http://127.0.0.1:8000/api/projects

A process of its own, because threads of one process wait for each other longer than for an answer.
"""

import json
import sys
import threading
import time

import httpx

PAUSE_SECONDS = 0.005


def main(address: str) -> None:
    """Write an empty line after the first read, and at the end how long each took, in seconds."""
    ending = threading.Event()
    times: list[float] = []

    def wait_for_end() -> None:
        sys.stdin.read()
        ending.set()

    with httpx.Client(timeout=60) as client:
        while not ending.wait(PAUSE_SECONDS):
            asked = time.perf_counter()
            client.get(address).raise_for_status()
            times.append(time.perf_counter() - asked)
            if len(times) == 1:
                threading.Thread(target=wait_for_end).start()
                sys.stdout.write("\n")
                sys.stdout.flush()
    sys.stdout.write(json.dumps(times))


if __name__ == "__main__":
    main(sys.argv[1])
