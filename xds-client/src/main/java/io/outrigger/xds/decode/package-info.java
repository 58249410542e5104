/**
 * Protobuf resources to the records of {@code config}, with every field error collected and its
 * path spelled out (A27, A28, A31, A32, A37, A39, A46, A47, A50, A52, A61, A63, A75), and resources
 * as JSON. One decoder per concern; {@code Wire…} is what protobuf itself would do with its
 * descriptors. Pure functions; any thread.
 */
@NullMarked
package io.outrigger.xds.decode;

import org.jspecify.annotations.NullMarked;
