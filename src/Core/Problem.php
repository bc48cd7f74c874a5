<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A problem that a health check has found.
 */
final readonly class Problem
{
    /**
     * @param string $subject the object, such as a bucket or a directory
     * @param string $message the value seen and the value expected
     * @param string $mend the command or the change that fixes it
     * @param bool $fatal true if events would be rejected, lost or not delivered because of it
     */
    public function __construct(
        public string $subject,
        public string $message,
        public string $mend,
        public bool $fatal = true,
    ) {}
}
