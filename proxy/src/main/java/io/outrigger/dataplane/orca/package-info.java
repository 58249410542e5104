/** Decodes load reports of backends (A51); no other package uses ORCA's protobuf messages. */
package io.outrigger.dataplane.orca;
