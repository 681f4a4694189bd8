package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
)

var roots = map[string][]string{
	"policy": {"platform"},
	"data":   {"agents", "limits", "operators", "scopes", "services", "tenants", "tools"},
}

// readKeys reads the Ed25519 keys that bundles may be signed with, by their kid.
func (k *kit) readKeys() error {
	text, err := os.ReadFile(filepath.Join(k.folder, "keys.json"))
	if err != nil {
		return err
	}
	var set struct {
		Keys []struct{ Kid, X string }
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return err
	}
	k.keys = map[string][]byte{}
	for _, key := range set.Keys {
		if k.keys[key.Kid], err = base64.RawURLEncoding.DecodeString(key.X); err != nil {
			return err
		}
	}
	return nil
}

func bundles(k *kit, v vector) (map[string]any, error) {
	_, revision, err := k.verify(v.text("file"), v.text("kind"))
	if code, known := err.(failure); known {
		return map[string]any{"error": string(code)}, nil
	}
	return map[string]any{"revision": revision}, err
}

// verify reads an archive and returns its files and revision, when all of it is as it was signed.
func (k *kit) verify(name, kind string) (map[string][]byte, string, error) {
	archive, err := os.ReadFile(filepath.Join(k.folder, name))
	if err != nil {
		return nil, "", err
	}
	files, err := unpack(archive)
	if err != nil {
		return nil, "", err
	}
	if err := k.checkSignature(files, kind); err != nil {
		return nil, "", err
	}
	revision, err := checkManifest(files, kind)
	if err != nil {
		return nil, "", err
	}
	if kind == "policy" {
		return files, revision, k.checkModules(files)
	}
	return files, revision, checkData(files)
}

func unpack(archive []byte) (map[string][]byte, error) {
	files := map[string][]byte{}
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, failure("bundle_truncated")
	}
	for reader := tar.NewReader(unzipped); ; {
		entry, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, failure("bundle_truncated")
		}
		if entry.Typeflag == tar.TypeDir {
			continue
		}
		name := strings.TrimLeft(strings.TrimPrefix(entry.Name, "./"), "/")
		if _, twice := files[name]; entry.Typeflag != tar.TypeReg || twice || !isName(name) {
			return nil, failure("bundle_path_invalid")
		}
		if files[name], err = io.ReadAll(reader); err != nil {
			return nil, failure("bundle_truncated")
		}
	}
	if len(files) == 0 {
		return nil, failure("bundle_truncated")
	}
	return files, nil
}

// isName allows names that mean the same file everywhere and stay in the bundle's folder.
func isName(name string) bool {
	if len(name) > 256 {
		return false
	}
	for _, r := range name {
		if r == '\\' || r == ':' || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
			return false
		}
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// checkSignature holds every file to the one JWS of the bundle.
func (k *kit) checkSignature(files map[string][]byte, kind string) error {
	if files[".signatures.json"] == nil {
		return failure("bundle_signature_missing")
	}
	invalid := failure("bundle_signature_invalid")
	var signatures struct{ Signatures []string }
	if json.Unmarshal(files[".signatures.json"], &signatures) != nil || len(signatures.Signatures) != 1 {
		return invalid
	}
	parts := strings.Split(signatures.Signatures[0], ".")
	if len(parts) != 3 {
		return invalid
	}
	var header struct{ Alg, Kid string }
	var claims struct {
		Scope string
		Files []struct{ Name, Hash, Algorithm string }
	}
	if decode(parts[0], &header) != nil || decode(parts[1], &claims) != nil || header.Alg != "EdDSA" {
		return invalid
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	key := k.keys[header.Kid]
	if err != nil || key == nil || !ed25519.Verify(key, []byte(parts[0]+"."+parts[1]), signature) {
		return invalid
	}
	if claims.Scope != "platform/"+kind {
		return invalid
	}
	signed := map[string]string{}
	for _, file := range claims.Files {
		signed[file.Name] = file.Hash
	}
	for name, content := range files {
		if name == ".signatures.json" {
			continue
		}
		if digest := sha256.Sum256(content); signed[name] != hex.EncodeToString(digest[:]) {
			return invalid
		}
		delete(signed, name)
	}
	if len(signed) > 0 {
		return failure("bundle_truncated")
	}
	return nil
}

func decode(part string, value any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// checkManifest returns the revision: SHA-256 over every file but the signatures, the manifest taken as
// canonical JSON with an empty revision.
func checkManifest(files map[string][]byte, kind string) (string, error) {
	var manifest map[string]any
	if !json.Valid(files[".manifest"]) {
		return "", failure("bundle_truncated")
	}
	invalid := failure("bundle_manifest_invalid")
	if json.Unmarshal(files[".manifest"], &manifest) != nil || manifest == nil {
		return "", invalid
	}
	list, _ := manifest["roots"].([]any)
	for _, root := range list {
		if !contains(roots[kind], root) {
			return "", invalid
		}
	}
	if len(list) == 0 {
		return "", invalid
	}
	said := manifest["revision"]
	manifest["revision"] = ""
	empty, err := json.Marshal(manifest) // Sorted keys, and no text in it that Go would escape.
	if err != nil {
		return "", err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	hash := sha256.New()
	hash.Write(framed([]byte("platform/bundle/v1")))
	for _, name := range names {
		switch name {
		case ".signatures.json":
		case ".manifest":
			hash.Write(framed([]byte(name), empty))
		default:
			hash.Write(framed([]byte(name), files[name]))
		}
	}
	revision := "sha256:" + hex.EncodeToString(hash.Sum(nil))
	if said != revision {
		return "", failure("bundle_revision_mismatch")
	}
	return revision, nil
}

func contains(list []string, value any) bool {
	for _, each := range list {
		if each == value {
			return true
		}
	}
	return false
}

func checkData(files map[string][]byte) error {
	var data map[string]json.RawMessage
	if json.Unmarshal(files["data.json"], &data) != nil {
		return failure("bundle_truncated")
	}
	for name := range data {
		if !contains(roots["data"], name) {
			return failure("bundle_manifest_invalid")
		}
	}
	return nil
}

// checkModules holds the policy, its filter and the frozen modules to the digests that the bundle lists.
func (k *kit) checkModules(files map[string][]byte) error {
	var listed struct {
		Modules map[string]struct{ Core, Opa, Filter string }
	}
	if files["policy.wasm"] == nil || json.Unmarshal(files["modules.json"], &listed) != nil {
		return failure("bundle_truncated")
	}
	own := listed.Modules["authorization"]
	is := own.Core == digest(files["decisions.wasm"]) && own.Opa == digest(files["policy.wasm"]) &&
		own.Filter == digest(files["filter.wasm"])
	for name, code := range k.modules {
		is = is && listed.Modules[name].Core == digest(code)
	}
	if !is {
		return failure("bundle_module_digest_mismatch")
	}
	return nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
