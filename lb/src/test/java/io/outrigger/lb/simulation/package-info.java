/**
 * Hours of traffic in seconds: the real tree over servers that fail as scripted, in virtual time
 * and without sockets. Everything runs on one thread; equal seeds give equal results. What comes of
 * it is the report {@code docs/reports/simulation.md} ({@code scripts/simulate}).
 */
package io.outrigger.lb.simulation;
