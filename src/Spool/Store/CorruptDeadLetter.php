<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;

/**
 * A dead letter whose file cannot be read. An operator can restore the file or forget the letter.
 *
 * @internal
 */
final readonly class CorruptDeadLetter
{
    public function __construct(public Position $position, public string $reason) {}
}
