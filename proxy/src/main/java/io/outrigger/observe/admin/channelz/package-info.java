/**
 * Channelz (gRFC A14) for the forwards and served addresses of this process, beside grpc-java's
 * channels to control planes. Each target of a forward is a channel, each endpoint of the target is
 * a subchannel, and each port is a server. Snapshots are taken on the control loop and passed on as
 * immutable values. Sockets are read on the event loops that own them. Calls of the service run on
 * gRPC's threads.
 */
package io.outrigger.observe.admin.channelz;
