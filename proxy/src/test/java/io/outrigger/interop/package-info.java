/**
 * gRPC's own interoperability cases through a running sidecar, with a control plane, a client and a
 * server of another make; and the fixtures of such a mesh. Tests run on threads of their own and
 * wait with a bound. Covers the gRPC protocol over HTTP/2 as a sidecar passes it on.
 */
package io.outrigger.interop;
