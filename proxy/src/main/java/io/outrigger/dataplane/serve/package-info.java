/**
 * The ports of {@code --serve}: accepts connections, finds their filter chains, terminates TLS and
 * passes requests to the app (A36, A29, A41). The control loop opens and closes ports and publishes
 * configurations, which event loops read.
 */
package io.outrigger.dataplane.serve;
