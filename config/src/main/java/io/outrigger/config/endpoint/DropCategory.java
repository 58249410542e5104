package io.outrigger.config.endpoint;

import io.outrigger.config.route.Fraction;

/** A share of requests that the control plane wants dropped (A27-10). */
public record DropCategory(String category, Fraction share) {}
