/**
 * The admin gRPC server (CONTRACT section 7) for tools such as grpcdebug and grpcurl. The server
 * offers CSDS (A40) for the xDS client's state, the health of the forwards, channelz and
 * reflection. Calls run on gRPC's threads, and read immutable views that the control loop creates.
 */
package io.outrigger.observe.admin.grpc;
