/**
 * Routes as records, and the matching of requests against them (A28, A31). All types are immutable;
 * any thread may use them.
 */
package io.outrigger.config.route;
