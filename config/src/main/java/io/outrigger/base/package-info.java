/**
 * The basic types of the whole program: the control loop and its timers, randomness, backoff,
 * outcomes and statuses. Annotations state which thread may use a class.
 *
 * <p>This package does not depend on xDS, gRPC libraries or sockets. Only this package reads the
 * system clock and random numbers; architecture tests check that rule.
 */
package io.outrigger.base;
