package io.outrigger.xds.cache;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceWatcher;
import java.util.Optional;

/** What watchers are told of a transition. */
public sealed interface Notice<T> {
  /** Tells one watcher. */
  void deliverTo(ResourceWatcher<T> watcher);

  /** Nothing that concerns them. */
  record Silence<T>() implements Notice<T> {
    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {}
  }

  /**
   * Another resource, or none any more.
   *
   * @param ambient the error beside the resource, which the change has not ended
   */
  record Changed<T>(Outcome<T> resource, Optional<RpcStatus> ambient) implements Notice<T> {
    /** Nothing is wrong with the resource. */
    public Changed(Outcome<T> resource) {
      this(resource, Optional.empty());
    }

    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {
      watcher.onChanged(resource);
      ambient.ifPresent(watcher::onAmbientError);
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
