/**
 * The admin gRPC server (CONTRACT section 7): what the xDS client knows as CSDS shows it (A40),
 * health of the forwards, channelz and reflection, so that grpcdebug and grpcurl work. Its calls
 * run on gRPC's threads; they ask the control loop for immutable views.
 */
@NullMarked
package io.outrigger.observe.admin.grpc;

import org.jspecify.annotations.NullMarked;
