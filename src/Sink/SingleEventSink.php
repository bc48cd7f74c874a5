<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that takes one event at a time. The cursor moves past each event before the flusher sends the next one, so a
 * kill repeats at most the event that was in flight.
 */
interface SingleEventSink extends Sink {}
