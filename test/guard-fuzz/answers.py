"""Answers guard requests, one a line in base64, with the SHA-256 of the answer or the code of the error."""

import base64
import hashlib
import sys

from platform_sdk.errors import PlatformError
from platform_sdk.guard import Guard

guard = Guard()
for line in sys.stdin.buffer:
    try:
        answer = guard.scan_bytes(base64.b64decode(line))
        sys.stdout.write(hashlib.sha256(answer).hexdigest() + "\n")
    except PlatformError as error:
        sys.stdout.write(f"{error.code}\n")
