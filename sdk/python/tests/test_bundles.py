"""Bundles are verified before anything of them is used: what is not exactly what a trusted key signed
is refused, each with its code."""

import base64
import json
import os

import jwt
import pytest
from bundling import SIGNATURES, claims_of, code_of, pack, read, rewritten, sign, write
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import OKPAlgorithm

from platform_sdk import BundleError, ConfigurationError, Decider
from platform_sdk.bundles import load_pair, pair_of, read_bundle, read_keys
from platform_sdk.bundles._pair import digests_of, revision_of


def other_key(kid):
    key = json.loads(OKPAlgorithm.to_jwk(Ed25519PrivateKey.generate()))
    return {**key, "kid": kid}


@pytest.fixture(scope="module")
def check(pairs):
    """The code with which a pair is refused; None when it is good."""
    keys, running = read_keys(pairs.keys), digests_of()
    good = read(pairs.one)

    def run(policy=None, data=None):
        try:
            pair_of(policy or good[0], data or good[1], keys, running)
        except BundleError as error:
            return error.code
        return None

    return run


def test_a_good_pair(pairs, tmp_path):
    pair = load_pair(pairs.one, pairs.keys)
    policy, data = read(pairs.one)
    assert pair.verified and pair.policy.revision == revision_of(policy)
    assert pair.data.json == data["data.json"] and pair.policy.decisions is not None
    assert "platform/tool/decision" in pair.policy.entrypoints
    for kind, files in (("policy", policy), ("data", data)):
        (tmp_path / f"{kind}.tar.gz").write_bytes(pack(files))
    assert load_pair(tmp_path, read_keys(pairs.keys)) == pair
    unverified = Decider(tmp_path, verify=False).pair
    assert not unverified.verified and unverified.policy == pair.policy


def test_nobody_skips_verification_by_accident(pairs):
    for keys in (None, [], [{"kty": "RSA", "kid": "a"}]):
        with pytest.raises((BundleError, ConfigurationError)):
            Decider(pairs.one, keys)
    with pytest.raises(BundleError):
        Decider.following(pairs.one, [])


def test_every_file_is_the_one_that_was_signed(pairs, check):
    policy, data = read(pairs.one)
    assert check() is None
    for name in policy:
        flipped = bytearray(policy[name])
        flipped[len(flipped) // 2] ^= 1
        expected = {"bundle_signature_invalid", "bundle_truncated"}
        assert check({**policy, name: bytes(flipped)}) in expected, name
        fewer = {other: content for other, content in policy.items() if other != name}
        expected = "bundle_signature_missing" if name == SIGNATURES else "bundle_truncated"
        assert check(fewer) == expected, name
    assert check({**policy, "more.rego": b"package more"}) == "bundle_signature_invalid"
    assert check(None, {**data, "data.json": b"{}"}) == "bundle_signature_invalid"


def test_white_space_and_order_of_data_are_free_to_the_signature_alone(pairs, check):
    _, data = read(pairs.one)
    loose = {**data, "data.json": json.dumps(json.loads(data["data.json"]), indent=1).encode()}
    # OPA's signature covers its value; the revision covers its bytes.
    assert check(None, loose) == "bundle_revision_mismatch"


def test_who_signed(pairs, check):
    policy, _ = read(pairs.one)
    key = pairs.key
    assert check(sign(policy, "policy", key)) is None
    assert check(sign(policy, "policy", other_key("mine"))) == "bundle_signature_invalid"
    assert check(sign(policy, "policy", other_key(key["kid"]))) == "bundle_signature_invalid"
    assert check(sign(policy, "data", key)) == "bundle_signature_invalid"
    assert check(sign(policy, "policy", key, files=[])) == "bundle_signature_invalid"
    weak = [{**file, "algorithm": "MD5"} for file in claims_of(policy, "policy")["files"]]
    assert check(sign(policy, "policy", key, files=weak)) == "bundle_signature_invalid"
    assert check(sign(policy, "policy", key, files=[7])) == "bundle_signature_invalid"
    own = json.loads(sign(policy, "policy", key)[SIGNATURES])["signatures"]
    for tokens in ([], own * 2, [7], ["a.b"], ["é.é.é"], "x", {}):
        written = json.dumps({"signatures": tokens}).encode()
        assert check({**policy, SIGNATURES: written}) == "bundle_signature_invalid", tokens
    assert check({**policy, SIGNATURES: b"[" * 100_000}) == "bundle_truncated"


def test_other_algorithms_and_extensions(pairs, check):
    policy, _ = read(pairs.one)
    claims = json.dumps(claims_of(policy, "policy")).encode()
    kid = pairs.key["kid"]
    public = base64.urlsafe_b64decode(read_keys(pairs.keys)[0]["x"] + "==")

    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    unsigned = f"{part(json.dumps({'alg': 'none', 'kid': kid}).encode())}.{part(claims)}."
    shared = jwt.PyJWS().encode(claims, public, algorithm="HS256", headers={"kid": kid})
    private = OKPAlgorithm.from_jwk(pairs.key)
    extended = jwt.PyJWS().encode(
        claims, private, algorithm="EdDSA", headers={"kid": kid, "crit": ["exp"], "exp": 1}
    )
    nameless = jwt.PyJWS().encode(claims, private, algorithm="EdDSA")
    for token in (unsigned, shared, extended, nameless):
        written = json.dumps({"signatures": [token]}).encode()
        assert check({**policy, SIGNATURES: written}) == "bundle_signature_invalid"


def test_what_a_trusted_key_signed_by_mistake(pairs, check):
    policy, data = read(pairs.one)
    key = pairs.key

    def changed(edit):
        listed = json.loads(policy["modules.json"])
        edit(listed)
        return rewritten(policy, "policy", key, {"modules.json": json.dumps(listed).encode()})

    assert check(rewritten(policy, "policy", key, {})) is None
    wrong = {**policy, ".manifest": policy[".manifest"].replace(b"sha256:", b"sha256:0")}
    assert check(sign(wrong, "policy", key)) == "bundle_revision_mismatch"
    other = "sha256:" + "0" * 64
    for name in ("record", "scope", "arguments", "guard", "authorization"):
        for value in ({"core": other}, {}, None):
            refused = changed(lambda listed, n=name, v=value: listed["modules"].update({n: v}))
            expected = {"bundle_module_digest_mismatch", "bundle_manifest_invalid"}
            assert check(refused) in expected, (name, value)
    for edit in (lambda listed: listed.pop("modules"), lambda listed: listed.update(modules=[])):
        assert check(changed(edit)) == "bundle_manifest_invalid"
    for name in ("policy.wasm", "decisions.wasm", "filter.wasm", "guard.wasm"):
        swapped = rewritten(policy, "policy", key, {name: b"\0asm\1\0\0\0"})
        assert check(swapped) == "bundle_module_digest_mismatch", name
    assert check(rewritten(policy, "policy", key, {"policy.wasm": None})) == "bundle_truncated"
    manifest = json.dumps({**json.loads(policy[".manifest"]), "roots": ["other"]}).encode()
    assert check(rewritten(policy, "policy", key, {".manifest": manifest})) == (
        "bundle_manifest_invalid"
    )
    for content, code in ((b'{"secrets":{}}', "bundle_manifest_invalid"), (b"{", "bundle_")):
        signed = {**data, "data.json": content}
        found = check(None, rewritten(signed, "data", key, {}))
        assert found.startswith(code), content


def test_a_pair_that_cannot_decide(pairs, tmp_path):
    policy, data = read(pairs.one)
    listed = json.loads(policy["modules.json"])
    listed["entrypoints"].remove("platform/tool/decision")
    fewer = {"modules.json": json.dumps(listed).encode()}
    write(rewritten(policy, "policy", pairs.key, fewer), tmp_path / "policy")
    write(data, tmp_path / "data")
    assert code_of(lambda: Decider(tmp_path, pairs.keys)) == "bundle_entrypoint_missing"
    doubled = data["data.json"][:-1] + b',"agents":{}}'
    write(rewritten({**data, "data.json": doubled}, "data", pairs.key, {}), tmp_path / "data")
    write(policy, tmp_path / "policy")
    assert code_of(lambda: Decider(tmp_path, pairs.keys)) == "bundle_truncated"


def test_modules_of_this_process_are_those_that_are_listed(pairs, tmp_path):
    for name, digest in digests_of().items():
        assert digest.startswith("sha256:"), name
    from platform_sdk._wasm import module_bytes

    for name in ("record", "scope", "arguments", "guard"):
        (tmp_path / f"{name}.wasm").write_bytes(module_bytes(name))
    assert Decider(pairs.one, pairs.keys, modules=tmp_path).pair is not None
    # A custom section changes the digest, and nothing that the module does.
    (tmp_path / "scope.wasm").write_bytes(module_bytes("scope") + b"\x00\x02\x01x")
    refused = code_of(lambda: Decider(pairs.one, pairs.keys, modules=tmp_path))
    assert refused == "bundle_module_digest_mismatch"


def test_keys(tmp_path, pairs):
    path = tmp_path / "keys"
    public = read_keys(pairs.keys)[0]
    for document in ("", "{", "7", "[]", '{"keys":7}', '{"keys":[7]}', "[" * 100_000):
        path.write_text(document)
        assert code_of(lambda: read_keys(path)) == "bundle_signature_invalid"
    path.write_text(json.dumps({"keys": [{"kty": "EC"}, {**public, "kid": 7}, public]}))
    assert read_keys(path) == [public]
    assert code_of(lambda: read_keys(tmp_path / "none")) == "bundle_signature_invalid"
    broken = {**public, "x": "AA"}
    assert code_of(lambda: load_pair(pairs.one, [broken])) == "bundle_signature_invalid"


def test_folders(tmp_path):
    assert code_of(lambda: read_bundle(tmp_path / "none")) == "bundle_missing"
    folder = tmp_path / "bundle"
    (folder / "..2026" / "x").mkdir(parents=True)
    (folder / "..2026" / "x" / "a.rego").write_text("package a")
    os.symlink("..2026/x", folder / "x")
    assert read_bundle(folder) == {"x/a.rego": b"package a"}
    os.mkfifo(folder / "pipe")
    assert code_of(lambda: read_bundle(folder)) == "bundle_path_invalid"
    (folder / "pipe").unlink()
    os.symlink(".", folder / "loop")
    assert code_of(lambda: read_bundle(folder)) == "bundle_path_invalid"
    (folder / "loop").unlink()
    os.symlink("nowhere", folder / "gone")
    assert code_of(lambda: read_bundle(folder)) == "bundle_truncated"
