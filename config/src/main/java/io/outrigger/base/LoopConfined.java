package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** Marks a type whose instances belong to one event loop of the data plane each. */
@Documented
@Target(ElementType.TYPE)
public @interface LoopConfined {}
