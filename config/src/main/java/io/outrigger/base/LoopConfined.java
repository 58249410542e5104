package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** Marks a type whose instances are each used by only one loop, usually an event loop. */
@Documented
@Target(ElementType.TYPE)
public @interface LoopConfined {}
