<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * The sink rejected records of the batch and stored none of the batch. The flusher bisects the batch to find them and
 * makes each a dead letter.
 *
 * A sink that cannot be used at all, because its table is missing for example, throws another Permanent exception: then
 * no record becomes a dead letter.
 */
interface InvalidRecords extends Permanent, UnableToDeliver {}
