/**
 * The gRPC xDS bootstrap: records, and the reader that names the JSON path of each error (A27, A47,
 * A65, A71, A97).
 */
@NullMarked
package io.outrigger.config.bootstrap;

import org.jspecify.annotations.NullMarked;
