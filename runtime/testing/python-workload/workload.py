"""A workload that speaks through the PyPI package spiffe: one JSON order a line in, one JSON answer a line out."""

import json
import queue
import sys

from spiffe import JwtSvid, TrustDomain, WorkloadApiClient, X509Source

TIMEOUT_SECONDS = 20


class Workload:
    """Keeps what earlier orders have opened."""

    def __init__(self):
        self.client = None
        self.source = None
        self.updates = queue.Queue()

    def open(self, order):
        self.client = WorkloadApiClient("unix://" + order["socket"])
        return {}

    def x509(self, _):
        context = self.client.fetch_x509_context(timeout=TIMEOUT_SECONDS)
        return {"svids": [describe(svid) for svid in context.x509_svids]}

    def bundles(self, order):
        domain = TrustDomain(order["trust_domain"])
        x509 = self.client.fetch_x509_bundles().get_bundle_for_trust_domain(domain)
        jwt = self.client.fetch_jwt_bundles().get_bundle_for_trust_domain(domain)
        return {"x509": len(x509.x509_authorities), "jwt": len(jwt.jwt_authorities)}

    def watch(self, order):
        self.source = X509Source(self.client, timeout_in_seconds=TIMEOUT_SECONDS)
        self.source.subscribe_for_updates(lambda: self.updates.put(None))
        return {"svids": [describe(self.source.get_x509_context().default_svid)]}

    def update(self, _):
        self.updates.get(timeout=TIMEOUT_SECONDS)
        return {"svids": [describe(self.source.get_x509_context().default_svid)]}

    def jwt(self, order):
        audience = {order["audience"]}
        svid = self.client.fetch_jwt_svid(audience=audience)
        bundles = self.client.fetch_jwt_bundles()
        bundle = bundles.get_bundle_for_trust_domain(svid.spiffe_id.trust_domain)
        valid = JwtSvid.parse_and_validate(svid.token, bundle, audience)
        return {"id": str(valid.spiffe_id), "token": svid.token}

    def validate(self, order):
        svid = self.client.validate_jwt_svid(order["token"], order["audience"])
        return {"id": str(svid.spiffe_id)}


def describe(svid):
    return {
        "id": str(svid.spiffe_id),
        "serial": format(svid.leaf.serial_number, "x"),
        "chain": len(svid.cert_chain),
    }


def main():
    workload = Workload()
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer = getattr(workload, order["do"])(order)
        except Exception as error:  # the test judges what it is
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


main()
