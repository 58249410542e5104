package io.outrigger.lb;

/** A live connection; what it can do is between the connector and the forwarder. */
public interface Transport {}
