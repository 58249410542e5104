/**
 * Fixtures for the xDS client and for whoever stands above or below it: a control plane over real
 * gRPC that does what a test says, the same without a network, an XdsClient and a DNS that a test
 * answers for. Tests own all threads but those of the gRPC server, whose fixtures wait with a bound
 * and never sleep. Shared by the tests of all modules.
 */
package io.outrigger.xds.testing;
