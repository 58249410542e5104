/**
 * Channelz of our own connections, beside that of grpc-java's channels to control planes (gRFC
 * A14): each target of a forward is a channel, each endpoint of its tree a subchannel, each port a
 * server. A look is taken on the control loop and handed over as an immutable value; sockets are
 * asked of the event loops that own them; calls of the service run on gRPC's threads.
 */
@NullMarked
package io.outrigger.observe.admin.channelz;

import org.jspecify.annotations.NullMarked;
