/**
 * The whole product over real sockets: a control plane, gRPC and raw HTTP/2 backends, the sidecar
 * as its composition root makes it, and apps that dial its port. Tests run on their own thread and
 * only see what a user would see: replies, what backends hear, the admin server and the control
 * plane's record. The rows of CONFORMANCE.md they prove are named on each test.
 */
package io.outrigger.endtoend;
