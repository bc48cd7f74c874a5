<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that takes one event at a time. The cursor moves behind each before the next is handed over, so that a kill
 * repeats at most the one that was under way.
 */
interface SingleEventSink extends Sink {}
