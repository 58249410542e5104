/**
 * Protobuf resources to records, with every field error collected (A46). One decoder per concern;
 * pure functions, any thread.
 */
@NullMarked
package io.outrigger.xds.decode;

import org.jspecify.annotations.NullMarked;
