package io.outrigger.xds.cache;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceWatcher;

/** What watchers are told of a transition. */
public sealed interface Notice<T> {
  /** Tells one watcher. */
  void deliverTo(ResourceWatcher<T> watcher);

  /** Nothing that concerns them. */
  record Silence<T>() implements Notice<T> {
    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {}
  }

  /** Another resource, or none any more. */
  record Changed<T>(Outcome<T> resource) implements Notice<T> {
    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {
      watcher.onChanged(resource);
    }
  }

  /** An error beside the resource in use; OK ends it. */
  record Ambient<T>(RpcStatus status) implements Notice<T> {
    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {
      watcher.onAmbientError(status);
    }
  }
}
