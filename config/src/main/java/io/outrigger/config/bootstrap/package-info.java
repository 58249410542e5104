/**
 * The gRPC xDS bootstrap as records, and its reader, which reports the JSON path of each error
 * (A27, A47, A65, A71, A97).
 */
package io.outrigger.config.bootstrap;
