<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * It is about the records and not about the sink: nothing of the batch arrived, and some of it may pass without the rest. The flusher halves the
 * delivery until it knows which, and sets a lone one that is refused aside as a dead letter.
 *
 * A sink that can not be used at all, such as one whose table is missing, throws something else that is Permanent: then
 * nothing is set aside.
 */
interface InvalidRecords extends Permanent, UnableToDeliver {}
