/**
 * The endpoints of a policy, each with a connection to one of its addresses, and the base class of
 * all policies that choose among endpoints. All classes are used on the control loop. This package
 * implements the connection to one of an endpoint's addresses (A61 "Happy Eyeballs", "universal
 * leaf policy"). An endpoint in TRANSIENT_FAILURE stays there until it is READY (A62).
 */
package io.outrigger.lb.member;
