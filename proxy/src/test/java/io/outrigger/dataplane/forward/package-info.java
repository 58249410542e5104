/** Tests of the forwarder, most of them without sockets: streams and subchannels are fakes. */
@NullMarked
package io.outrigger.dataplane.forward;

import org.jspecify.annotations.NullMarked;
