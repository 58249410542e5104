/**
 * Picks an endpoint by the hash of the request, so that requests with equal hashes get the same
 * endpoint. The policy runs on the control loop; its picker runs on event loops. This package
 * implements ring_hash (A42, with A61 "Ring Hash" and A76).
 */
package io.outrigger.lb.endpoint.ring;
