<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;

/**
 * A dead letter whose file can not be read. It can be restored, or forgotten.
 *
 * @internal
 */
final readonly class CorruptDeadLetter
{
    public function __construct(public Position $position, public string $reason) {}
}
