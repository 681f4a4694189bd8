"""Signed bundles: the policies and the data that decide, verified before anything of them is used.

`load_pair` reads and verifies a pair once; `platform_sdk.Decider` does so by itself and can follow
a folder or two URLs. What is checked is what the platform's services check: one EdDSA signature of
a trusted key over every file, the revision, the roots and the digest of every module that is run.
"""

from ._archive import read_archive
from ._files import Files, read_bundle
from ._follow import Follower
from ._keys import Key, read_keys
from ._pair import DataBundle, Pair, PolicyBundle, load_pair, pair_of
from ._sources import FolderSource, UrlSource

__all__ = [
    "DataBundle",
    "Files",
    "FolderSource",
    "Follower",
    "Key",
    "Pair",
    "PolicyBundle",
    "UrlSource",
    "load_pair",
    "pair_of",
    "read_archive",
    "read_bundle",
    "read_keys",
]
