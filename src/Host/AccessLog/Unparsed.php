<?php

declare(strict_types=1);

namespace Headroom\Host\AccessLog;

/**
 * A line that is not what it should be, and what is wrong with it.
 *
 * @internal
 */
final readonly class Unparsed
{
    /** @param int $line from 1 */
    public function __construct(public int $line, public UnparsedReason $reason, public string $text) {}
}
