/** Tests of the forwarder, most of them without sockets: streams and subchannels are fakes. */
package io.outrigger.dataplane.forward;
