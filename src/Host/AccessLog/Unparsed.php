<?php

declare(strict_types=1);

namespace Headroom\Host\AccessLog;

/**
 * A line that could not be parsed, and the reason.
 *
 * @internal
 */
final readonly class Unparsed
{
    /** @param int $line from 1 */
    public function __construct(public int $line, public UnparsedReason $reason, public string $text) {}
}
